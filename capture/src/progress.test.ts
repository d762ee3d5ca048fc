import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import type { ProgressReport } from '@firsthand/sdk/capture/wire.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createReporter } from './progress.ts';

afterEach(() => vi.unstubAllGlobals());

/** A page whose reports arrive once `arrive` is called. */
function page() {
  const target = new EventTarget();
  for (const name of ['addEventListener', 'removeEventListener'] as const)
    vi.stubGlobal(name, target[name].bind(target));
  const sent: string[] = [];
  const beacons: ProgressReport[] = [];
  let arrive = () => {};
  const client = {
    progress: (report: ProgressReport) => {
      sent.push(report.step);
      return new Promise<void>(resolve => {
        arrive = resolve;
      });
    },
    progressOnLeave: (report: ProgressReport) => beacons.push(report) > 0,
  } as unknown as CaptureClient;
  const left = vi.fn();
  const reporter = createReporter(client, { step: () => {}, left });
  return {
    reporter,
    sent,
    beacons,
    left,
    arrive: () => arrive(),
    hide: () => target.dispatchEvent(new Event('pagehide')),
  };
}

describe('a page that closes', () => {
  test('while its report of success is under way sends it once more, and abandons nothing', () => {
    const { reporter, sent, beacons, left, hide } = page();
    reporter.at({ step: 'uploading' });
    reporter.at({ step: 'success' });
    expect(sent).toEqual(['uploading']);
    hide();
    expect(beacons.map(({ step, abandoned }) => [step, abandoned])).toEqual([['success', undefined]]);
    expect(left).not.toHaveBeenCalled();
  });

  test('after its report of success arrived sends nothing', async () => {
    const { reporter, sent, beacons, arrive, hide } = page();
    reporter.at({ step: 'success' });
    expect(sent).toEqual(['success']);
    arrive();
    await new Promise(setImmediate);
    hide();
    expect(beacons).toEqual([]);
  });

  test('before success says that the person left', () => {
    const { reporter, beacons, left, hide } = page();
    reporter.at({ step: 'ready' });
    hide();
    expect(beacons.map(({ step, abandoned }) => [step, abandoned])).toEqual([['ready', true]]);
    expect(left).toHaveBeenCalledOnce();
  });
});
