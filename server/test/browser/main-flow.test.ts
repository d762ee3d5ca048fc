import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { askC2paRs, askC2paTs } from '../custody/credentials/judges.ts';
import { downloadCredential } from '../support/credential.ts';
import { ask, createVerification, until, untilStatus } from '../support/harness.ts';
import { firstHand, photoOfScreen } from '../support/pictures.ts';
import { openOnPhone } from './phone.ts';
import { launcher, ownService } from './stage.ts';

const service = await ownService();

describe('capture page, from link to verdict', () => {
  const launch = launcher();
  const read = async (id: string) =>
    (await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).body;

  /** Drives the whole page with a camera that shows `picture`, and returns the verification once it is completed. */
  async function capture(picture: Buffer) {
    const verification = await createVerification(service);
    const phone = await openOnPhone(verification.capture_url, { on: await launch(picture) });
    await phone.press('Start');
    await phone.photo();
    await phone.send();
    // The page ends with its requests.
    await until(async () => (await read(verification.id)).progress?.step === 'success', 'the last report');
    await phone.close();
    return untilStatus(service, verification.id, ['completed', 'failed']);
  }

  it('takes a genuine picture to completed and verified', async () => {
    const done = await capture(await firstHand(3));
    expect(done.verdict?.label).toBe('verified');
    expect(done.captures).toHaveLength(1);
    expect(done.captures[0]).toMatchObject({ step_key: 'capture_1', source: 'live', surface: 'web' });
    expect(done.progress).toMatchObject({ step: 'success' });
  });

  it('hands out a photo taken in the page with credentials that hold, and not after one changed pixel', async () => {
    const { id, captures } = await capture(await firstHand(4));
    const signed = await downloadCredential(service, { id, capture: captures[0]!.id });
    expect(await askC2paRs(signed, 'image/jpeg')).toMatchObject({ valid: true, failures: [] });
    expect(await askC2paTs(signed)).toEqual({ valid: true, failures: [] });
    const changed = Buffer.from(signed);
    changed[changed.length - 400]! ^= 1;
    expect(await askC2paRs(changed, 'image/jpeg')).toMatchObject({ valid: false });
    expect(await askC2paTs(changed)).toMatchObject({ valid: false });
  });

  it('takes a photo of a screen to completed with screen_detected', async () => {
    const done = await capture(await photoOfScreen(3));
    expect(done.verdict?.reason_code).toBe('screen_detected');
  });
});
