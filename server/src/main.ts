import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Node.js keeps what it compiled: a third of what a short command costs. The folder lies beside the packages and not in /tmp,
// where others may write, because Node.js runs what it holds. A folder that cannot be written is no fault. The variable tells
// the threads and programs of this process about the folder.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// Imported after that, so that they are compiled once too.
const [{ runCommand }, { createProgram }, { loadEnvironment }] = await Promise.all([
  import('@firsthand/cli/outcome.ts'),
  import('./commands/program.ts'),
  import('./platform/config/environment.ts'),
]);

void runCommand(() => createProgram(loadEnvironment()).parseAsync(), process.argv.slice(2));
