import { runCommand } from './commands/outcome.ts';
import { createProgram } from './commands/program.ts';
import { loadEnvironment } from './platform/config/environment.ts';

void runCommand(() => createProgram(loadEnvironment()).parseAsync(), process.argv.slice(2));
