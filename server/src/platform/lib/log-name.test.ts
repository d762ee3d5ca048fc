import { expect, it } from 'vitest';
import { createLog } from './log.ts';
import { logNameOf } from './log-name.ts';

const ID = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z';
const OTHER = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y70';

it('createLog writes no verification id, and one name for each wherever it stands', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: line => void lines.push(line) });
  log.info({ verificationId: ID, payload: { verification_id: OTHER } }, `waits for ${ID}`);
  log.child({ id: ID }).warn({ err: new Error(`no row ${ID}`, { cause: new Error(OTHER) }) }, 'failed');
  const text = lines.join('');
  expect(text).not.toMatch(/vfy_/);
  expect(text.split(logNameOf(ID)).length - 1).toBeGreaterThanOrEqual(4);
  expect(text).toContain(logNameOf(OTHER));
  expect(logNameOf(ID)).toMatch(/^vfy#[0-9a-f]{16}$/);
  expect(logNameOf(ID)).not.toBe(logNameOf(OTHER));
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});
