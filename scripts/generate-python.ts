// Writes the generated files of the Python package.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PYTHON_FILES } from './generate-python/files.ts';

for (const [file, text] of Object.entries(PYTHON_FILES)) await writeFile(join(import.meta.dirname, '..', file), text);
