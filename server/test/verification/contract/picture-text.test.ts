import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  exifSegment,
  iptcSegment,
  jpegWith,
  pngChunk,
  pngWith,
  tEXt,
  xmpPacket,
  xmpSegment,
} from '../../../../forensics/test/files.ts';
import { createVerification, startTestService, submit, type TestService, untilStatus } from '../../support/harness.ts';

/** Texts that a row cannot hold as they are: half a pair where a reader cuts, U+0000, controls, bytes that are no UTF-8. */
const HALF = '\ud83d';
const CUT_AT = [150, 160, 200, 300];
const cutEmoji = (at: number) => `${'x'.repeat(at - 1)}😀${'y'.repeat(400)}`;

const PICTURES: [name: string, make: () => Promise<Buffer>][] = [
  ...CUT_AT.map((at): [string, () => Promise<Buffer>] => [
    `EXIF whose texts hold an emoji at character ${at}`,
    () =>
      jpegWith([
        exifSegment({
          main: [0x010f, 0x0110, 0x0131, 0x013b, 0x010e].map(tag => [tag, cutEmoji(at)]),
          exif: [[0xa434, cutEmoji(at)]],
        }),
      ]),
  ]),
  ...CUT_AT.map((at): [string, () => Promise<Buffer>] => [
    `XMP that names a generator, with an emoji at character ${at}`,
    () =>
      jpegWith([
        xmpSegment(
          xmpPacket(
            `xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="Midjourney ${cutEmoji(at - 11)}" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia${cutEmoji(at)}"`,
          ),
        ),
      ]),
  ]),
  ...CUT_AT.map((at): [string, () => Promise<Buffer>] => [
    `PNG parameters with an emoji at character ${at}`,
    () =>
      pngWith(
        tEXt(
          'parameters',
          `${cutEmoji(at)}\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Model: ${cutEmoji(at)}`,
        ),
      ),
  ]),
  [
    'PNG texts of bytes that are no UTF-8, with U+0000 and controls',
    () =>
      pngWith(
        pngChunk('tEXt', Buffer.from('Software\0NovelAI\x01\x02\xff\xfe\xed\xa0\xbd\0 Stable', 'latin1')),
        pngChunk(
          'iTXt',
          Buffer.concat([Buffer.from('parameters\0\0\0\0\0'), Buffer.from([0xed, 0xa0, 0xbd, 0, 1, 0xff])]),
        ),
        pngChunk('tEXt', Buffer.from('prompt\0{"1":{"class_type":"KSampler\\ud83d\\u0000","inputs":{}}}', 'latin1')),
      ),
  ],
  [
    'EXIF and IPTC of bytes that are no UTF-8',
    () =>
      jpegWith([
        exifSegment({
          main: [
            [0x010f, { bytes: Buffer.from([0x41, 0xed, 0xa0, 0xbd, 0x01, 0xff]) }],
            [0x0131, 'Made with \u0001\u0002 controls\u001b[31m'],
          ],
          exif: [[0x9286, { bytes: Buffer.from(`UNICODE\0${HALF}\0\u0001`, 'utf16le') }]],
        }),
        iptcSegment([[80, `by ${HALF}\u0001`]]),
      ]),
  ],
];

describe('metadata that PostgreSQL cannot store', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  test.each(PICTURES)('does not stop the verdict: %s', async (_name, make) => {
    const { id } = await createVerification(service, { max_captures: 1, signals_required: ['ai'] });
    const reply = await submit(service, id, await make());
    expect(reply.status, reply.text).toBe(201);
    const after = await untilStatus(service, id, ['completed', 'failed', 'expired']);
    expect(after.status).toBe('completed');
    expect(JSON.stringify(after).isWellFormed()).toBe(true);
    const kept = await service.deps.db.query('select metadata, signals from captures where verification_id = $1', [id]);
    for (const text of textsOf(kept.rows)) {
      expect(text.isWellFormed()).toBe(true);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left.
      expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
    }
  });
});

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsOf(member)]);
}
