import { runCommand } from '@firsthand/cli/outcome.ts';
import { createProgram } from '../../src/commands/program.ts';

// A command whose work never settles, with nothing left that Node.js waits for.
const program = createProgram(process.env).hook('preAction', () => new Promise(() => {}));
void runCommand(() => program.parseAsync(), process.argv.slice(2));
