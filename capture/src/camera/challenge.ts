import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
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
