import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import {
  drawing,
  exifBlock,
  exifSegment,
  iptcSegment,
  iTXt,
  jpegWith,
  pngWith,
  tEXt,
  xmpPacket,
  xmpSegment,
  zTXt,
} from '../../test/files.ts';
import { readMetadata } from '../files/metadata/read.ts';
import { assessProvenance } from './assess.ts';

async function assess(bytes: Buffer) {
  const metadata = await readMetadata(bytes);
  return assessProvenance({ bytes, contentType: 'image/png', metadata, attested: false, live: false });
}

const INFOTEXT =
  'a duck on a lake\nNegative prompt: blurry\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 12, Size: 512x512';
const NODE = { inputs: { seed: 1, steps: 20 }, class_type: 'KSampler' };
const WORKFLOW = { last_node_id: 3, nodes: [{ id: 3, type: 'KSampler' }], links: [] };
const IPTC_TERM = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const sourceType = (term: string) =>
  xmpPacket(`xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" e:DigitalSourceType="${IPTC_TERM}${term}"`);
const photoshop = (field: string, value: string) =>
  xmpPacket(`xmlns:ps="http://ns.adobe.com/photoshop/1.0/" ps:${field}="${value}"`);

const comment = (text: string): [number, Buffer] =>
  exifSegment({
    exif: [
      [0x9286, { bytes: Buffer.concat([Buffer.from('UNICODE\0', 'latin1'), Buffer.from(text, 'utf16le').swap16()]) }],
    ],
  });

async function stealthPng(signature: string, text: Buffer): Promise<Buffer> {
  const [width, height] = [96, 96];
  const pixels = drawing(width, height, 4);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length * 8);
  const message = Buffer.concat([Buffer.from(signature), length, text]);
  const rgb = signature.includes('rgb');
  for (let i = 0; i < message.length * 8; i++) {
    const bit = (message[i >> 3]! >> (7 - (i & 7))) & 1;
    const index = rgb ? Math.floor(i / 3) : i;
    const at = ((index % height) * width + Math.floor(index / height)) * 4 + (rgb ? i % 3 : 3);
    pixels[at] = (pixels[at]! & 0xfe) | bit;
  }
  return sharp(pixels, { raw: { width, height, channels: 4 } })
    .png()
    .toBuffer();
}

const MADE: [string, () => Promise<Buffer>][] = [
  ['AUTOMATIC1111, PNG', () => pngWith(tEXt('parameters', INFOTEXT))],
  ['AUTOMATIC1111, JPEG', () => jpegWith([comment(INFOTEXT)])],
  ['Forge', () => pngWith(tEXt('parameters', `${INFOTEXT}, Version: f2.0.1v1.10.1`))],
  ['SD.Next', () => jpegWith([comment(`${INFOTEXT}, App: SD.Next, Pipeline: StableDiffusionXL`)])],
  ['Civitai', () => jpegWith([comment(`${INFOTEXT}, Civitai resources: [{"type":"checkpoint"}]`)])],
  ['ComfyUI, prompt', () => pngWith(tEXt('prompt', JSON.stringify({ '3': NODE })))],
  ['ComfyUI, prompt with NaN', () => pngWith(tEXt('prompt', '{"3": {"inputs": {"x": NaN}, "class_type": "A"}}'))],
  ['ComfyUI, workflow compressed', () => pngWith(zTXt('workflow', JSON.stringify(WORKFLOW)))],
  [
    'ComfyUI, WebP',
    async () => {
      const plain = await sharp(drawing(32, 32), { raw: { width: 32, height: 32, channels: 3 } })
        .webp()
        .toBuffer();
      const exif = exifBlock({
        main: [
          [0x010f, `workflow:${JSON.stringify(WORKFLOW)}`],
          [0x0110, `prompt:${JSON.stringify({ '3': NODE })}`],
        ],
      });
      const size = Buffer.alloc(4);
      size.writeUInt32LE(exif.length);
      const whole = Buffer.concat([plain, Buffer.from('EXIF'), size, exif]);
      whole.writeUInt32LE(whole.length - 8, 4);
      return whole;
    },
  ],
  ['InvokeAI 1', () => pngWith(tEXt('Dream', '"a cat" -s 50 -S 123 -W 512 -H 512 -C 7.5 -A k_lms'))],
  [
    'InvokeAI 2',
    () =>
      pngWith(
        tEXt('sd-metadata', JSON.stringify({ model: 'stable diffusion', model_weights: 'x', image: { seed: 1 } })),
      ),
  ],
  [
    'InvokeAI 3+',
    () =>
      pngWith(iTXt('invokeai_metadata', JSON.stringify({ app_version: '4.2', generation_mode: 'txt2img', seed: 1 }))),
  ],
  [
    'NovelAI',
    () =>
      pngWith(
        tEXt('Title', 'NovelAI generated image'),
        tEXt('Software', 'NovelAI'),
        tEXt('Comment', JSON.stringify({ steps: 28, sampler: 'k_euler', seed: 4 })),
      ),
  ],
  ['SwarmUI, PNG', () => pngWith(tEXt('parameters', JSON.stringify({ sui_image_params: { prompt: 'a' } })))],
  ['SwarmUI, JPEG', () => jpegWith([comment(JSON.stringify({ sui_image_params: { prompt: 'a' } }))])],
  [
    'Fooocus',
    () =>
      pngWith(
        tEXt(
          'parameters',
          JSON.stringify({ base_model: 'x', sampler: 'dpm', steps: 30, seed: 5, version: 'Fooocus v2.5' }),
        ),
        tEXt('fooocus_scheme', 'fooocus'),
      ),
  ],
  ['Easy Diffusion', () => pngWith(tEXt('use_stable_diffusion_model', 'sd-v1-4'), tEXt('prompt', 'a cat'))],
  [
    'Draw Things',
    () =>
      jpegWith([
        xmpSegment(
          xmpPacket(
            '',
            `<x:UserComment xmlns:x="http://ns.adobe.com/exif/1.0/"><rdf:Alt><rdf:li xml:lang="x-default">${JSON.stringify({ c: 'a', uc: '', seed: 1, steps: 8 }).replaceAll('"', '&quot;')}</rdf:li></rdf:Alt></x:UserComment>`,
          ),
        ),
      ]),
  ],
  [
    'Midjourney, description',
    () => pngWith(tEXt('Description', 'a barn at dusk --ar 3:2 --v 6.1 Job ID: 0123abcd-0123-4567-89ab-0123456789ab')),
  ],
  ['Midjourney, XMP', () => pngWith(iTXt('XML:com.adobe.xmp', sourceType('trainedAlgorithmicMedia')))],
  ['DALL-E named as software', () => jpegWith([exifSegment({ main: [[0x0131, 'DALL·E 3']] })])],
  [
    'Adobe Firefly, creator tool',
    () =>
      jpegWith([xmpSegment(xmpPacket('xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="Adobe Firefly 1.0"'))]),
  ],
  ['Google AI credit, XMP', () => jpegWith([xmpSegment(photoshop('Credit', 'Made with Google AI'))])],
  ['Google AI credit, IPTC', () => jpegWith([iptcSegment([[110, 'Made with Google AI']])])],
  ['Meta AI', () => jpegWith([xmpSegment(photoshop('Credit', 'Imagined with AI'))])],
  ['Apple Image Playground', () => jpegWith([xmpSegment(photoshop('Credit', 'Image Playground'))])],
  [
    'IPTC digital source type in an element',
    () =>
      jpegWith([
        xmpSegment(
          xmpPacket(
            '',
            `<e:DigitalSourceType xmlns:e="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">${IPTC_TERM}trainedAlgorithmicMedia</e:DigitalSourceType>`,
          ),
        ),
      ]),
  ],
  ['AIGC label', () => pngWith(tEXt('AIGC', JSON.stringify({ Label: '1', ContentProducer: 'x' })))],
  ['stealth text in alpha', () => stealthPng('stealth_pnginfo', Buffer.from(INFOTEXT))],
  ['stealth text in colour', () => stealthPng('stealth_rgbinfo', Buffer.from(INFOTEXT))],
];

test.each(MADE)('generatorMarks: %s is likely_ai, with the field that says so', async (_name, make) => {
  const result = await assess(await make());
  expect(result).toMatchObject({ evaluated: true, label: 'likely_ai', band: 'confident' });
  expect(result.evidence[0]!.field).toBeTruthy();
});

test.each([
  ['IPTC composite', () => jpegWith([xmpSegment(sourceType('compositeWithTrainedAlgorithmicMedia'))])],
  ['Google magic edit', () => jpegWith([xmpSegment(photoshop('Credit', 'Edited with Google AI'))])],
  ['Apple Clean Up', () => jpegWith([xmpSegment(photoshop('Credit', 'Apple Photos Clean Up'))])],
])('%s, a photo with generated parts, is likely_ai but for a person to look at', async (_name, make) => {
  expect(await assess(await make())).toMatchObject({ label: 'likely_ai', band: 'doubtful' });
});

describe('generatorMarks ignores lookalikes', () => {
  test.each<[string, () => Promise<Buffer>]>([
    [
      'a camera',
      () =>
        jpegWith([
          exifSegment({
            main: [
              [0x010f, 'Canon'],
              [0x0131, 'Digital Photo Professional'],
            ],
          }),
        ]),
    ],
    [
      'a caption about a generator',
      () => jpegWith([exifSegment({ main: [[0x010e, 'Talk on Midjourney and Stable Diffusion, Steps: many']] })]),
    ],
    [
      'an editor history with parameters',
      () =>
        jpegWith([
          xmpSegment(
            xmpPacket(
              '',
              '<m:History xmlns:m="http://ns.adobe.com/xap/1.0/mm/"><rdf:Seq><rdf:li m:action="derived" m:parameters="converted, Steps: 2"/></rdf:Seq></m:History>',
            ),
          ),
        ]),
    ],
    [
      'Photoshop',
      () =>
        jpegWith([
          xmpSegment(
            xmpPacket(
              'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="Adobe Photoshop 26.9 (Firefly enabled)"',
            ),
          ),
        ]),
    ],
    ['a tool called Flux-something', () => jpegWith([exifSegment({ main: [[0x0131, 'FluxCapture 2']] })])],
    ['digitalCapture', () => jpegWith([xmpSegment(sourceType('digitalCapture'))])],
    ['algorithmicMedia, which was not trained', () => jpegWith([xmpSegment(sourceType('algorithmicMedia'))])],
    [
      'a prompt that is no graph',
      () => pngWith(tEXt('prompt', 'Please sign here'), tEXt('workflow', '{"nodes": "none"}')),
    ],
    ['a comment with a seed', () => pngWith(tEXt('Comment', JSON.stringify({ seed: 'wheat', field: 7 })))],
    [
      'an AIGC label of mere suspicion',
      () => pngWith(tEXt('AIGC', JSON.stringify({ Label: '3', ContentProducer: 'x' }))),
    ],
    ['a comment with dashes', () => pngWith(tEXt('Comment', 'built with --v and -S flags'))],
    ['noise in the lowest bits', () => stealthPng('stealth_nothing', Buffer.from(INFOTEXT))],
  ])('%s', async (_name, make) => {
    expect(await assess(await make())).toMatchObject({ label: 'unknown', confidence: 0, band: 'clear' });
  });
});
