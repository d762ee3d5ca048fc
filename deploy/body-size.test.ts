import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BATCH_BODY_MAX_BYTES, UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { expect, it } from 'vitest';

/** Room for the longest body, in MiB: every page and file that configures a proxy says this number. */
const MEBIBYTES = BATCH_BODY_MAX_BYTES / 1_048_576 + 1;

it.each([
  ['docs/proxy.md', /client_max_body_size (\d+)m|longest body \| (\d+) MiB|bodies of (\d+) MiB/g, 4],
  ['docs/debian.md', /client_max_body_size (\d+)m/g, 2],
  ['docs/go-live.md', /must let \[(\d+) MiB\]/g, 1],
  ['deploy/helm/firsthand/values.yaml', /proxy-body-size: (\d+)m/g, 1],
  ['deploy/helm/firsthand/README.md', /bodies of (\d+) MiB/g, 1],
  ['deploy/helm/golden.yaml', /proxy-body-size: (\d+)m/g, 1],
  ['server/src/commands/doctor-outside.ts', /client_max_body_size (\d+)m|Allow (\d+) MiB/g, 2],
])('%s lets the longest body of the API through', (file, pattern, times) => {
  expect(UPLOAD_HARD_CAP_BYTES).toBeLessThan(BATCH_BODY_MAX_BYTES);
  const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
  const numbers = [...text.matchAll(pattern)].map(([, ...groups]) => Number(groups.find(Boolean)));
  expect(numbers).toEqual(Array.from({ length: times }, () => MEBIBYTES));
});

it.each(['compose.yaml', 'ops/Caddyfile'])('%s limits no body', file => {
  expect(readFileSync(join(import.meta.dirname, '..', file), 'utf8')).not.toMatch(/max_size|request_body|body_size/);
});
