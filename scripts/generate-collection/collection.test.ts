import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../server/src/app.ts';
import { COLLECTION_FILE, collectionText } from './collection.ts';

const file = join(import.meta.dirname, '../..', COLLECTION_FILE);

// If this fails: `node scripts/generate-collection.ts`, then commit.
it('the Postman collection is as the OpenAPI document makes it', async () => {
  expect(await readFile(file, 'utf8')).toBe(collectionText());
});

it('the Postman collection has each operation once, and no key in it', async () => {
  interface Item {
    request: { method: string; url: { raw: string } };
  }
  const { item: folders, variable } = JSON.parse(await readFile(file, 'utf8')) as {
    item: { item: Item[] }[];
    variable: { key: string; value: string }[];
  };
  const has = folders.flatMap(({ item }) =>
    item.map(({ request }) => `${request.method} ${request.url.raw.replace('{{base_url}}', '').split('?')[0]}`),
  );
  expect(has.toSorted()).toEqual(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).toSorted());
  expect(variable.filter(({ key }) => key.endsWith('key')).map(({ value }) => value)).toEqual(['', '']);
});
