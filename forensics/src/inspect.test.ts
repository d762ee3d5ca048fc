import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { ImageFault, inspect } from './inspect.ts';

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 90, g: 140, b: 60 } } });

const formats = {
  'image/jpeg': () => blank(40, 30).jpeg().toBuffer(),
  'image/png': () => blank(40, 30).png().toBuffer(),
  'image/webp': () => blank(40, 30).webp().toBuffer(),
  'image/avif': () => blank(40, 30).avif().toBuffer(),
} as const;

describe('inspect', () => {
  for (const [contentType, make] of Object.entries(formats)) {
    it(`detects ${contentType} and its size by content`, async () => {
      expect(await inspect(await make())).toEqual({ contentType, width: 40, height: 30, orientation: 1 });
    });

    it(`reports every truncation of ${contentType}`, async () => {
      const whole = await make();
      for (let length = 16; length < whole.length; length += 7) {
        const fault = await inspect(whole.subarray(0, length)).catch((cause: unknown) => cause);
        expect(fault).toBeInstanceOf(ImageFault);
        expect((fault as ImageFault).code).toBe('truncated');
      }
    });
  }

  it('gives width and height after orientation', async () => {
    const turned = await blank(40, 30).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await inspect(turned)).toEqual({ contentType: 'image/jpeg', width: 30, height: 40, orientation: 6 });
  });

  it('accepts a single pixel and a progressive JPEG', async () => {
    expect(await inspect(await blank(1, 1).png().toBuffer())).toMatchObject({ width: 1, height: 1 });
    expect(await inspect(await blank(64, 64).jpeg({ progressive: true }).toBuffer())).toMatchObject({ width: 64 });
  });

  it.each([
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0')],
    ['SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>')],
    ['HTML', Buffer.from('<!DOCTYPE html><html></html>')],
    ['PDF', Buffer.from('%PDF-1.7\n')],
  ])('refuses %s by name', async (name, bytes) => {
    await expect(inspect(bytes)).rejects.toMatchObject({
      code: 'unsupported_type',
      message: expect.stringContaining(name),
    });
  });

  it('refuses over 100 megapixels without decoding', async () => {
    const png = await blank(2, 2).png().toBuffer();
    png.writeUInt32BE(20_000, 16);
    png.writeUInt32BE(20_000, 20);
    await expect(inspect(png)).rejects.toMatchObject({ code: 'too_many_pixels' });
  });

  it('ends in a named fault or an answer, whatever the bytes', async () => {
    const seeds = await Promise.all(Object.values(formats).map(make => make()));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...seeds),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 }),
        fc.nat(600),
        async (seed, edits, keep) => {
          const bytes = Buffer.from(seed.subarray(0, keep));
          for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value;
          const result = await inspect(bytes).catch((cause: unknown) => cause);
          if (!(result instanceof ImageFault)) expect(result).toMatchObject({ contentType: expect.any(String) });
        },
      ),
      { numRuns: 400 },
    );
  });
});
