// Writes the Postman collection of the API.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COLLECTION_FILE, collectionText } from './generate-collection/collection.ts';

await writeFile(join(import.meta.dirname, '..', COLLECTION_FILE), collectionText());
