import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The compiler of TypeScript 7, a script for Node.js. */
export const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript7/package.json')), 'bin', 'tsc');
