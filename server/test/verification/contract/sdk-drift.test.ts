import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SDK_FILES } from '../../../../scripts/generate-sdk/files.ts';

describe('the SDK', () => {
  // If this fails: `node scripts/generate-sdk.ts`, then commit.
  it.each(Object.entries(SDK_FILES))('has %s as the OpenAPI document makes it', async (file, text) => {
    expect(await readFile(join(import.meta.dirname, '../../../..', file), 'utf8')).toBe(text);
  });
});
