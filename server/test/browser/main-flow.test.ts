import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askC2paRs, askC2paTs } from '../custody/credentials/judges.ts';
import { downloadCredential } from '../support/credential.ts';
import { createVerification, startTestService, type TestService, untilStatus } from '../support/harness.ts';
import { firstHand, photoOfScreen } from '../support/pictures.ts';
import { cameraFileOf, launchChromium } from './chromium.ts';
import { openOnPhone } from './phone.ts';

describe('capture page, from link to verdict', () => {
  let service: TestService;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-camera-'));
    service = await startTestService();
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Drives the whole page with a camera that shows `picture`, and returns the verification once it is completed. */
  async function capture(picture: Buffer) {
    const browser = await launchChromium(await cameraFileOf(join(folder, 'camera.mjpeg'), [picture]));
    try {
      const verification = await createVerification(service);
      const phone = await openOnPhone(browser, verification.capture_url);
      await phone.screen('landing');
      await phone.press('Start');
      await phone.photo();
      await phone.screen('summary');
      await phone.press('Send');
      await phone.screen('success');
      await phone.close();
      return await untilStatus(service, verification.id, ['completed', 'failed']);
    } finally {
      await browser.close();
    }
  }

  it('takes a genuine picture to completed and verified', async () => {
    const done = await capture(await firstHand(3));
    expect(done.verdict?.label).toBe('verified');
    expect(done.captures).toHaveLength(1);
    expect(done.captures[0]).toMatchObject({ step_key: 'capture_1', source: 'live', surface: 'web' });
    expect(done.progress).toMatchObject({ step: 'success' });
  });

  it('hands out a photo taken in the page with credentials that hold in a copy, and not after one changed pixel', async () => {
    const { id, captures } = await capture(await firstHand(4));
    const signed = await downloadCredential(service, { id, capture: captures[0]!.id });
    const copy = join(folder, 'copy.jpg');
    await writeFile(copy, signed);
    for (const photo of [signed, await readFile(copy)]) {
      expect(await askC2paRs(photo, 'image/jpeg')).toMatchObject({ valid: true, failures: [] });
      expect(await askC2paTs(photo)).toEqual({ valid: true, failures: [] });
    }
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
