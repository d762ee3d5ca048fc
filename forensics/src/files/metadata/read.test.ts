import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { processorMs } from '../../../test/cost.ts';
import {
  exifBlock,
  exifSegment,
  iptcSegment,
  iTXt,
  jpeg,
  jpegWith,
  pngChunk,
  pngWith,
  tEXt,
  xmpPacket,
  xmpSegment,
  zTXt,
} from '../../../test/files.ts';
import { readMetadata } from './read.ts';

/** Degrees, minutes and seconds, or hours, minutes and seconds. */
const parts = (...values: number[]) => ({ rationals: values.map((value): [number, number] => [value, 1]) });

const CAMERA = {
  main: [
    [0x010f, 'Acme'],
    [0x0110, 'Shooter 5'],
    [0x0112, { bytes: Buffer.from([6]) }],
    [0x0131, 'fw 1.2'],
  ] as [number, string | { bytes: Buffer }][],
  exif: [
    [0x9003, '2024:05:03 22:52:30'],
    [0x9011, '+02:00'],
    [0x9291, '98'],
    [0xa002, 4000],
    [0xa003, 3000],
    [0xa434, 'Wide 26mm'],
  ] as [number, string | number][],
  gps: [
    [1, 'S'],
    [2, parts(12, 30, 0)],
    [3, 'W'],
    [4, parts(77, 15, 0)],
    [7, parts(20, 52, 30)],
    [29, '2024:05:03'],
  ] as [number, string | { rationals: [number, number][] }][],
};

describe('readMetadata reads camera fields', () => {
  test('from a JPEG, with the header’s size and the size in EXIF', async () => {
    const read = await readMetadata(await jpegWith([exifSegment(CAMERA)]), 'image/jpeg');
    expect(read).toMatchObject({
      make: 'Acme',
      model: 'Shooter 5',
      software: 'fw 1.2',
      lens: 'Wide 26mm',
      taken_at: '2024-05-03T22:52:30.98+02:00',
      gps_at: '2024-05-03T20:52:30.000Z',
      gps: { latitude: -12.5, longitude: -77.25 },
      size: { width: 64, height: 48 },
      exif_size: { width: 4000, height: 3000 },
      thumbnail: false,
      faults: [],
    });
  });

  test('from PNG, WebP and AVIF alike', async () => {
    const block = exifBlock(CAMERA);
    const inPng = await readMetadata(await pngWith(pngChunk('eXIf', block)));
    const source = sharp(await jpeg()).withExif({ IFD0: { Make: 'Acme', Model: 'Shooter 5' } });
    const inWebp = await readMetadata(await source.clone().webp().toBuffer());
    const inAvif = await readMetadata(await source.clone().avif({ effort: 0 }).toBuffer());
    for (const read of [inPng, inWebp, inAvif]) expect(read).toMatchObject({ make: 'Acme', model: 'Shooter 5' });
  });

  test('quantizationHash is equal for equal tables only', async () => {
    const at = async (quality: number, width: number) =>
      (
        await readMetadata(
          await sharp(await jpeg(width, 32))
            .jpeg({ quality })
            .toBuffer(),
        )
      ).quantization_hash;
    expect(await at(80, 40)).toMatch(/^[0-9a-f]{32}$/);
    expect(await at(80, 40)).toBe(await at(80, 72));
    expect(await at(80, 40)).not.toBe(await at(81, 40));
  });

  test.each([
    ['0000:00:00 00:00:00'],
    ['    :  :     :  :  '],
    ['2024:13:40 99:00:00'],
    ['2024:02:30 10:00:00'],
    ['yesterday'],
  ])('gives no time for %s', async value => {
    const read = await readMetadata(await jpegWith([exifSegment({ exif: [[0x9003, value]] })]));
    expect(read.taken_at).toBeUndefined();
  });

  test('takes the time of CreateDate where DateTimeOriginal holds zeros', async () => {
    const zero: [number, string] = [0x9003, '0000:00:00 00:00:00'];
    const read = await readMetadata(await jpegWith([exifSegment({ exif: [zero, [0x9004, '2024:02:29 10:11:12']] })]));
    expect(read.taken_at).toBe('2024-02-29T10:11:12');
  });

  test('gives no location off the globe or at 0, 0', async () => {
    const at = async (degrees: number) =>
      readMetadata(
        await jpegWith([
          exifSegment({
            gps: [
              [1, 'N'],
              [2, parts(degrees, 0, 0)],
              [3, 'E'],
              [4, parts(degrees, 0, 0)],
            ],
          }),
        ]),
      );
    expect((await at(45)).gps).toEqual({ latitude: 45, longitude: 45 });
    expect((await at(91)).gps).toBeUndefined();
    expect((await at(0)).gps).toBeUndefined();
  });
});

describe('readMetadata reads text fields', () => {
  const field = async (file: Buffer, name: string) =>
    (await readMetadata(file)).fields.filter(entry => entry.name === name).map(entry => entry.value);

  test('XMP as attribute, element, alternative, bag and structure, under any prefix', async () => {
    const packet = xmpPacket(
      'xmlns:q="http://ns.adobe.com/xap/1.0/" q:CreatorTool="Darkroom"',
      `<e:DigitalSourceType xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">urn:x</e:DigitalSourceType>
       <dc:title xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Alt><rdf:li xml:lang="x-default">Barn</rdf:li></rdf:Alt></dc:title>
       <dc:subject xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Bag><rdf:li>a</rdf:li><rdf:li>b</rdf:li></rdf:Bag></dc:subject>
       <m:History xmlns:m="http://ns.adobe.com/xap/1.0/mm/"><rdf:Seq><rdf:li rdf:parseType="Resource"><s:softwareAgent xmlns:s="http://ns.adobe.com/xap/1.0/sType/ResourceEvent#">Tool 1</s:softwareAgent></rdf:li></rdf:Seq></m:History>`,
    );
    const file = await jpegWith([xmpSegment(packet)]);
    expect(await field(file, 'xmp:CreatorTool')).toEqual(['Darkroom']);
    expect(await field(file, 'Iptc4xmpExt:DigitalSourceType')).toEqual(['urn:x']);
    expect(await field(file, 'dc:title')).toEqual(['Barn']);
    expect(await field(file, 'dc:subject[1]')).toEqual(['b']);
    expect(await field(file, 'xmpMM:History[0]/stEvt:softwareAgent')).toEqual(['Tool 1']);
    expect(await field(await pngWith(iTXt('XML:com.adobe.xmp', packet)), 'xmp:CreatorTool')).toEqual(['Darkroom']);
  });

  test('PNG text, plain and compressed', async () => {
    const file = await pngWith(tEXt('a', 'plain é'), zTXt('b', 'zipped'), iTXt('c', 'wide 写', true));
    expect(await field(file, 'a')).toEqual(['plain é']);
    expect(await field(file, 'b')).toEqual(['zipped']);
    expect(await field(file, 'c')).toEqual(['wide 写']);
  });

  test('IPTC records', async () => {
    const file = await jpegWith([
      iptcSegment([
        [110, 'The Agency'],
        [120, 'A barn'],
      ]),
    ]);
    expect(await field(file, 'Credit')).toEqual(['The Agency']);
  });

  test.each(['utf16le', 'utf16be'])('a user comment in %s', async order => {
    const text = Buffer.from('A cat, Steps: 20', 'utf16le');
    const body = order === 'utf16be' ? text.swap16() : text;
    const file = await jpegWith([
      exifSegment({ exif: [[0x9286, { bytes: Buffer.concat([Buffer.from('UNICODE\0', 'latin1'), body]) }]] }),
    ]);
    expect(await field(file, 'UserComment')).toEqual(['A cat, Steps: 20']);
  });
});

describe('readMetadata on hostile files', () => {
  test('survives a looped IFD chain', async () => {
    const block = exifBlock({ main: [[0x010f, 'Acme']] });
    const next = 8 + 2 + 12;
    block.writeUInt32BE(8, next);
    const read = await readMetadata(await jpegWith([[0xe1, Buffer.concat([Buffer.from('Exif\0\0'), block])]]));
    expect(read.make).toBe('Acme');
  });

  test('survives offsets and counts outside the block', async () => {
    const block = exifBlock({
      main: [
        [0x010f, 'A long enough maker'],
        [0x0110, 'Model of some length'],
      ],
    });
    block.writeUInt32BE(0xfffffff0, 8 + 2 + 8);
    block.writeUInt32BE(0x7fffffff, 8 + 2 + 12 + 4);
    const file = await jpegWith([[0xe1, Buffer.concat([Buffer.from('Exif\0\0'), block])]]);
    const ms = await processorMs(async () => {
      expect((await readMetadata(file)).thumbnail).toBe(false);
    });
    expect(ms).toBeLessThan(1_000);
  });

  test('omits a compressed text that inflates without end', async () => {
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024));
    const file = await pngWith(pngChunk('zTXt', Buffer.concat([Buffer.from('parameters\0\0', 'latin1'), bomb])));
    const read = await readMetadata(file);
    expect(read.fields).toEqual([]);
  });

  test('refuses an XMP packet with a document type, and names it', async () => {
    const packet = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${xmpPacket('xmlns:q="http://ns.adobe.com/xap/1.0/" q:CreatorTool="T"')}`;
    const read = await readMetadata(await jpegWith([xmpSegment(packet)]));
    expect(read.fields).toEqual([]);
    expect(read.faults.map(fault => fault.code)).toEqual(['xmp_unreadable']);
  });

  test('answers for any bytes', async () => {
    const whole = [
      await jpegWith([
        exifSegment(CAMERA),
        xmpSegment(xmpPacket('a:b="c" xmlns:a="urn:a"')),
        iptcSegment([[110, 'x']]),
      ]),
      await pngWith(tEXt('a', 'b'), zTXt('c', 'd'), pngChunk('eXIf', exifBlock(CAMERA))),
      await sharp(await jpeg())
        .withExif({ IFD0: { Make: 'Acme' } })
        .avif({ effort: 0 })
        .toBuffer(),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...whole),
        fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { maxLength: 12 }),
        fc.nat(3_000),
        async (file, edits, cut) => {
          const hurt = Buffer.from(file.subarray(0, Math.max(1, file.length - cut)));
          for (const [at, value] of edits) hurt[at % hurt.length] = value;
          const read = await readMetadata(hurt);
          expect(Array.isArray(read.fields)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});
