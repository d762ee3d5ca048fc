// Writes the generated files of the SDK.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SDK_FILES } from './generate-sdk/files.ts';

for (const [file, text] of Object.entries(SDK_FILES)) await writeFile(join(import.meta.dirname, '..', file), text);
