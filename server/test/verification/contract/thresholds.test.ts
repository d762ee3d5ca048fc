import { expect, it } from 'vitest';
import { createVerification, startTestService, submit, untilStatus } from '../../support/harness.ts';
import { firstHand } from '../../support/pictures.ts';

it('SCREEN_SUSPICIOUS_AT and SCREEN_FAILED_AT set the screen probabilities from which a verdict is suspicious and failed', async () => {
  const labels: (string | undefined)[] = [];
  for (const [suspicious, failed] of [
    ['0.0001', '0.0002'],
    ['0.0001', '1'],
    ['0.9999', '1'],
  ] as const) {
    const service = await startTestService({ env: { SCREEN_SUSPICIOUS_AT: suspicious, SCREEN_FAILED_AT: failed } });
    try {
      const { id } = await createVerification(service, { signals_required: ['screen'] });
      await submit(service, id, await firstHand(3));
      labels.push((await untilStatus(service, id, ['completed'])).verdict?.label);
    } finally {
      await service.stop();
    }
  }
  expect(labels).toEqual(['failed', 'suspicious', 'verified']);
});
