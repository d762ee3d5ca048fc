import { createProgram } from './commands/program.ts';
import { loadEnvironment } from './config/environment.ts';

const environment = loadEnvironment();

createProgram(environment)
  .parseAsync()
  .catch((error: Error) => {
    console.error(error.name === 'Error' ? error.message : `${error.name}: ${error.message}`);
    if (environment.LOG_LEVEL === 'debug') console.error(error.stack);
    process.exit(1);
  });
