import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import { isTransient } from '@firsthand/sdk/capture/errors.ts';
import type { FilmAnnouncement } from '@firsthand/sdk/capture/wire.ts';
import type { OpenChallenge } from './trace.ts';

/** The person waits for the answer with the phone in the hand. */
const PATIENCE_MS = 5_000;

/** Asks for the moves of a camera session. Undefined without a quick answer: the photo then goes without a trace. */
export async function requestChallenge(
  client: Pick<CaptureClient, 'createChallenge'>,
  stepKey: string,
): Promise<OpenChallenge | undefined> {
  const late = new Promise<undefined>(resolve => setTimeout(resolve, PATIENCE_MS));
  const asked = client.createChallenge({ step_key: stepKey }).then(
    challenge => ({ ...challenge, receivedAt: performance.now() }),
    () => undefined,
  );
  return Promise.race([asked, late]);
}

/** A challenge ends after two minutes: an announcement after that is worth nothing. */
const CHALLENGE_MS = 120_000;
const AGAIN_MS = 2_000;

/** Announces a film in the background, again and again without a network. Never rejects: nobody waits for it. */
export async function announceFilm(client: Pick<CaptureClient, 'announceFilm'>, film: FilmAnnouncement): Promise<void> {
  for (const from = performance.now(); performance.now() - from < CHALLENGE_MS; ) {
    try {
      return await client.announceFilm(film);
    } catch (error) {
      if (!isTransient(error)) return;
      await new Promise(resolve => setTimeout(resolve, AGAIN_MS));
    }
  }
}
