import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Challenge, Move } from '@firsthand/contract/verification/presence.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import type { OwnService } from '../../../bench/src/own-service.ts';
import { createVerification, phone, post, settled } from '../../../bench/src/receivers.ts';
import { launchChromium } from '../../../server/test/browser/chromium.ts';
import type { RealFilm } from './films.ts';
import { BEFORE, PLAYED, placesOf, played, type Tape, tapeOf } from './tape.ts';
import { type Place, type Walk, walkFor } from './walk.ts';

/** How a person who films what a public film shows gets through. */
export interface PersonRow {
  film: RealFilm;
  moves: readonly Move[];
  /** From the beginning of the first move to the end of the film. */
  seconds: number | undefined;
  label: string;
  presence: Verification['captures'][number]['presence'];
}

/** Requests after which a film that makes only few moves is given up. */
const DRAWS = 40;
/** Seconds between the photo and the first move: the time in which a person reads the arrow. */
const REACTION = 6;
/** Playwright denies what is not named. A phone's browser would give the motion sensor; the machine has none, so the film says `silent`. */
const PERMISSIONS = ['camera', 'accelerometer', 'gyroscope'];
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** A camera this close to where it took the photo is still at rest, as a share of the longer side. */
const AT_REST = 0.015;

let nextAddress = 0;

/**
 * Lets a person with a phone answer requests of a service, in the hosted page, whose camera plays a public film. Chromium reads the film when the
 * camera opens, so the moves are asked for before, and the page gets this same answer of the service. Under `strict`, `depth` required.
 */
export async function* personWith(
  film: RealFilm,
  tries: number,
  service: OwnService,
  clones: string,
  cache: string,
): AsyncGenerator<PersonRow> {
  const tape = await tapeOf(film, clones, cache);
  const step = tape.repeat > 1 ? 1 : 2;
  const places = await placesOf(tape, step);
  const rate = PLAYED / (tape.repeat * step);
  // A film that makes the same moves again is no other try.
  const done = new Set<string>();
  for (let draw = 0; draw < DRAWS && done.size < tries; draw++) {
    const found = await asked(service, places, rate, done);
    if (!found) continue;
    done.add(found.challenge.moves.join());
    yield { film, ...(await answered(service, tape, found, places, step)) };
  }
}

interface Fitting {
  verification: Verification;
  challenge: Challenge;
  walk: Walk;
}

/** Creates a request. Undefined if the film does not make its moves, or was tried with them. */
async function asked(
  { url, tenant }: OwnService,
  places: readonly Place[],
  rate: number,
  done: ReadonlySet<string>,
): Promise<Fitting | undefined> {
  const from = phone(`127.0.9.${1 + (nextAddress++ % 250)}`);
  try {
    const image = { type: 'image', key: 'photo', description: 'The damage', min: 1, max: 1 };
    const verification = await createVerification(url, tenant, from, {
      steps: [image],
      signals_required: ['depth'],
      depth_policy: 'strict',
    });
    const body = { step_key: image.key };
    const challenge = await post<Challenge>(url, `/v1/verifications/${verification.id}/challenges`, body, from);
    if (done.has(challenge.moves.join())) return undefined;
    const walk = walkFor(places, challenge.moves, rate);
    return walk && { verification, challenge, walk };
  } finally {
    await from.close();
  }
}

async function answered(
  service: OwnService,
  tape: Tape,
  { verification, challenge, walk }: Fitting,
  places: readonly Place[],
  step: number,
): Promise<Omit<PersonRow, 'film'>> {
  const file = join(service.folder, 'camera.mjpeg');
  await writeFile(file, Buffer.concat(played(tape, walk, places, step)));
  const browser = await launchChromium(file);
  let reached = 'no photo';
  try {
    const context = await browser.newContext({ ...PHONE, locale: 'en-US', permissions: PERMISSIONS });
    context.setDefaultTimeout(60_000);
    await context.route('**/challenges', route => route.fulfill({ status: 201, json: challenge }));
    const page = await context.newPage();
    await page.goto(verification.capture_url!);
    await page.locator('.actions button').click();
    const opened = performance.now();
    const shutter = page.locator('.shutter:not([disabled])');
    await shutter.waitFor();
    await sleep(1000 * (BEFORE - REACTION) - (performance.now() - opened));
    await shutter.click();
    reached = 'no end of the moves';
    await page.waitForSelector('[data-screen="review"]');
    await page.locator('.pair .button').last().click();
    await page.waitForSelector('[data-screen="summary"]');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForSelector('[data-screen="success"]');
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== 'TimeoutError') throw cause;
    return { moves: challenge.moves, seconds: undefined, label: reached, presence: undefined };
  } finally {
    await browser.close();
    await rm(file, { force: true });
  }
  const { captures, verdict, status } = await settled(service, verification.id);
  const presence = captures.at(-1)?.presence;
  const path = presence?.evidence?.path ?? [];
  // The film begins with the photo: the moves begin where the path leaves that place for good.
  const began = path.findLast(({ x, y }) => Math.hypot(x - path[0]!.x, y - path[0]!.y) < AT_REST);
  return {
    moves: challenge.moves,
    seconds: began && (path.at(-1)!.at - began.at) / 1000,
    label: verdict?.label ?? status,
    presence,
  };
}
