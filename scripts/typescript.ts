import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** The compiler of TypeScript 7, a script for Node.js. */
export const TSC = join(dirname(require.resolve('typescript7/package.json')), 'bin', 'tsc');
