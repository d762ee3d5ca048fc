// Writes what is made from the OpenAPI document: types, methods and errors of the SDK and of the Python package. Git ignores
// these files. `npm ci`, `npm test`, `npm run types` and `npm run build:packages` write them; the first also on a server.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PYTHON_FILES } from './generate-python/files.ts';
import { SDK_FILES } from './generate-sdk/files.ts';

for (const [name, text] of Object.entries({ ...SDK_FILES, ...PYTHON_FILES })) {
  const file = join(import.meta.dirname, '..', name);
  // Only what differs, so that a checkout without write access can be used once the files are there.
  if (text !== null && text !== (await readFile(file, 'utf8').catch(() => null))) await writeFile(file, text);
}
