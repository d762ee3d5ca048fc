/**
 * Counts how many genuine photos become `suspicious` because a required signal has no answer (docs/verdict.md):
 *
 * npm run bench:support -- --data FOLDER [--repositories FOLDER] [--kept-apart SUMS] [--write FILE]
 *
 * FOLDER of `--data` holds MANIFEST.tsv (class, path, repository ...). Phone photos of at least 1280 pixels are measured as
 * the capture page sends them: JPEG of quality 94, at most 4096 pixels, and as a frame of a 1920 and a 1280 pixel video. `--repositories`
 * adds the genuine pictures that `research/screen/sets.tsv.gz` lists and no fit has seen, of the clones that it holds at OWNER/NAME. Pictures whose SHA-256 `--kept-apart` (or
 * KEPT_APART) lists are not read. Fetches nothing.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTooSmallToClear } from '@firsthand/contract/capture/sizes.ts';
import type { CaptureSignals, SignalName } from '@firsthand/contract/verification/signals.ts';
import { decodePicture } from '@firsthand/forensics/files/decode.ts';
import { ImageFault, inspect } from '@firsthand/forensics/files/inspect.ts';
import { readMetadata } from '@firsthand/forensics/files/metadata/read.ts';
import { prepare, probes } from '@firsthand/forensics/phash/fingerprint.ts';
import { imageOf } from '@firsthand/forensics/pixels/image.ts';
import { isTooSmallToTile, measureScreen } from '@firsthand/forensics/screen/features.ts';
import { supports } from '../../../server/src/verification/verdict/support.ts';
import { answeredBy } from '../../../server/src/verification/verifications/steps.ts';
import { createReport, optionsOf } from '../report.ts';
import { readKeptApart } from './kept-apart.ts';
import { listedPictures, tableLines } from './sets.ts';
import { upperBound } from './statistics.ts';

/** Smaller files were reduced after the camera wrote them. */
const LEAST_SIDE = 1280;
/** Makers of phones, as EXIF names them. */
const PHONES = /apple|google|samsung|huawei|honor|xiaomi|motorola|nokia|hmd|jolla|sony ?ericsson|oneplus|oppo|htc|lge/i;
/** Standard deviation of a picture that its repository emptied to one colour. */
const EMPTIED = 1;
const FORMS = [4096, 1920, 1280];
const QUALITY = 94;
const REQUESTS: [string, SignalName[]][] = [
  ['`screen`, `ai` (the default)', ['screen', 'ai']],
  ['`screen`, `ai`, `reverse`, `depth` (lenient)', ['screen', 'ai', 'reverse', 'depth']],
];

const options = optionsOf({
  data: process.env.FIRSTHAND_DATA,
  repositories: undefined,
  'kept-apart': process.env.KEPT_APART,
});
const manifest = options.data && join(options.data, 'MANIFEST.tsv');
if (!options.data || !manifest || !existsSync(manifest)) {
  console.log('No pictures: --data names a folder with MANIFEST.tsv (or FIRSTHAND_DATA). Nothing measured.');
  process.exit(0);
}
const { data, repositories } = options;
const apart = options['kept-apart'] ? readKeptApart(options['kept-apart']) : new Set<string>();
const reads: (() => Buffer)[] = [
  ...tableLines(manifest)
    .filter(([kind = '']) => kind === 'camera' || kind === 'heic' || kind === 'depth')
    .map(
      ([, path = '']) =>
        () =>
          readFileSync(join(data, path)),
    ),
  ...(repositories
    ? (['genuine-held', 'held'] as const).flatMap(use =>
        listedPictures(repositories, use, { missing: 'leave out' }).flatMap(({ label, read }) =>
          label === 0 ? [read] : [],
        ),
      )
    : []),
];

/** What the page sends of a photo, by the long side of what the camera gives it. */
async function formsOf(bytes: Buffer): Promise<Buffer[]> {
  const info = await inspect(bytes);
  const { make = '' } = await readMetadata(bytes, info.contentType);
  if (!PHONES.test(make)) return [];
  const decoded = await decodePicture(bytes, info);
  if (Math.max(decoded.width, decoded.height) < LEAST_SIDE) return [];
  const picture = imageOf(decoded);
  const { channels } = await picture.clone().stats();
  if (channels.every(({ stdev }) => stdev < EMPTIED)) return [];
  return Promise.all(
    FORMS.map(side =>
      picture
        .clone()
        .resize(side, side, { fit: 'inside', withoutEnlargement: true })
        .jpeg({ quality: QUALITY })
        .toBuffer(),
    ),
  );
}

/** Why each signal has no answer for a picture, as the service stores it; with a corpus to search and no camera session. */
async function unansweredIn(bytes: Buffer): Promise<CaptureSignals> {
  const picture = await decodePicture(bytes, await inspect(bytes));
  // The first stage suffices: only whether there is an answer counts.
  const measured = await measureScreen(picture, { first: () => true, second: () => true });
  const small = isTooSmallToTile(picture) || (measured !== undefined && isTooSmallToClear(measured.part));
  const reason = small ? 'too_small' : measured ? undefined : 'too_dark';
  const searched = probes(prepare({ ...picture, channels: 3 })).length > 0;
  return {
    screen_detection: {
      screen_detected: false,
      confidence: 0,
      evaluated: reason === undefined,
      ...(reason && { reason }),
    },
    ai_detection: { label: 'unknown', confidence: 0.5, evaluated: true },
    reverse_search: {
      found_online: false,
      match_count: 0,
      evaluated: searched,
      ...(searched ? {} : { reason: 'too_plain' }),
    },
    depth: { source: 'unavailable', confidence: 0, evaluated: false, reason: 'no_session' },
  };
}

/** By request: pictures that are not verified for a missing answer, and why. */
const counts = REQUESTS.map(() => ({ unsupported: 0, missing: new Map<string, number>() }));
let photos = 0;
let keptApart = 0;
let sent = 0;
for (const [index, read] of reads.entries()) {
  const bytes = read();
  if (apart.has(createHash('sha256').update(bytes).digest('hex'))) {
    keptApart += 1;
    continue;
  }
  const forms = await formsOf(bytes).catch(cause => {
    if (cause instanceof ImageFault) return [];
    throw cause;
  });
  if (forms.length > 0) photos += 1;
  for (const form of forms) {
    sent += 1;
    const signals = await unansweredIn(form);
    for (const [at, [, signals_required]] of REQUESTS.entries()) {
      const steps = [{ type: 'image' as const, key: 'a', description: '', min: 1, max: 1 }];
      const photo = { step_key: 'a', source: 'live' as const, signals, context: null, analysis_state: 'done' as const };
      if (supports({ steps, signals_required, depth_policy: 'lenient' }, [photo])) continue;
      const count = counts[at]!;
      count.unsupported += 1;
      for (const name of signals_required) {
        const answer = answeredBy(name, photo, 'lenient');
        if (answer.answered !== false || answer.chosenBy !== 'sender') continue;
        count.missing.set(`${answer.reason}`, (count.missing.get(`${answer.reason}`) ?? 0) + 1);
      }
    }
  }
  process.stderr.write(`\r${index + 1} of ${reads.length} files`);
}
process.stderr.write('\n');

const percent = (count: number): string => `${((100 * count) / Math.max(1, sent)).toFixed(2)}%`;
const report = createReport('Genuine photos that lack support');
report.print(
  `${photos} photos by phones, each as the capture page sends it from ${FORMS.join(', ')} pixels: ${sent} pictures. ` +
    `${keptApart} files are kept apart and were not read.\n`,
);
report.print('| required | not `verified` by the support rule | share | reasons |\n|---|---|---|---|');
for (const [at, [name]] of REQUESTS.entries()) {
  const { unsupported, missing } = counts[at]!;
  const reasons = [...missing].map(([reason, n]) => `${reason} ${n}`).join(', ') || '–';
  const bound = (100 * upperBound(unsupported, sent)).toFixed(2);
  report.print(`| ${name} | ${unsupported} | ${percent(unsupported)} (at most ${bound}%) | ${reasons} |`);
}
report.write(options.write);
