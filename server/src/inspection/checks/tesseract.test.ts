import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { findTextReader, readWords } from './tesseract.ts';

const folder = mkdtempSync(join(tmpdir(), 'fh-reader-'));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test('the program that reads text gets no settings of the service', async () => {
  vi.stubEnv('ENCRYPTION_KEYS', 'a-secret');
  vi.stubEnv('TESSDATA_PREFIX', '/languages');
  const seen = join(folder, 'environment');
  const program = join(folder, 'tesseract');
  writeFileSync(
    program,
    `#!/bin/sh\nenv >>${seen}\n[ "$1" = --version ] && echo tesseract v9 && exit\ncat >/dev/null\n`,
  );
  chmodSync(program, 0o755);
  const reader = await findTextReader({ command: program, languages: 'eng' });
  await readWords(reader!, Buffer.from('a picture'), 6);
  const environment = readFileSync(seen, 'utf8');
  expect(environment).not.toContain('a-secret');
  expect(environment).toContain('TESSDATA_PREFIX=/languages');
  expect(environment).toContain('OMP_THREAD_LIMIT=1');
});
