import { readFileSync } from 'node:fs';
import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { ERROR_STATUS, ErrorResponse } from '../base/errors.ts';
import { EndUserView } from '../verification/verification.ts';
import { AnswersRequest, CaptureRequest, captureFaults, UploadUrlRequest, UploadUrlResponse } from './capture-flow.ts';

interface Exchange {
  request?: { method: string; url: string; body?: unknown };
  answer?: { status: number; body?: { error?: { code: keyof typeof ERROR_STATUS } } } | null;
}

it('docs/vectors/sending.json holds only requests that the contract takes and answers that it gives', () => {
  const file = new URL('../../../docs/vectors/sending.json', import.meta.url);
  const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: { name: string; exchanges: Exchange[] }[] };
  expect(vectors.length).toBeGreaterThan(15);
  for (const { name, exchanges } of vectors) {
    for (const { request, answer } of exchanges) {
      if (!request) continue;
      const asked = /upload-url$/.test(request.url)
        ? UploadUrlRequest
        : /\/captures$/.test(request.url)
          ? CaptureRequest
          : AnswersRequest;
      if (request.method === 'POST') expect([...Value.Errors(asked, request.body)], name).toEqual([]);
      if (asked === CaptureRequest && request.method === 'POST') expect(captureFaults(request.body), name).toEqual([]);
      if (!answer?.body) continue;
      const said = answer.body.error ? ErrorResponse : asked === UploadUrlRequest ? UploadUrlResponse : EndUserView;
      expect([...Value.Errors(said, answer.body)], name).toEqual([]);
      if (answer.body.error) expect(ERROR_STATUS[answer.body.error.code], name).toBe(answer.status);
    }
  }
});
