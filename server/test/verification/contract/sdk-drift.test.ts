import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PYTHON_FILES } from '../../../../scripts/generate-python/files.ts';
import { SDK_FILES } from '../../../../scripts/generate-sdk/files.ts';

const read = (file: string) => readFile(join(import.meta.dirname, '../../../..', file), 'utf8');

describe('the SDK', () => {
  // If this fails: `node scripts/generate-sdk.ts`, then commit.
  it.each(Object.entries(SDK_FILES))('has %s as the OpenAPI document makes it', async (file, text) => {
    expect(await read(file)).toBe(text);
  });
});

describe('the Python package', () => {
  // If this fails: `node scripts/generate-python.ts`, then commit.
  it.each(Object.entries(PYTHON_FILES))('has %s as the OpenAPI document makes it', async (file, text) => {
    expect(await read(file)).toBe(text);
  });
});
