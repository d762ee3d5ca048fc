import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import type { ProgressReport } from '@firsthand/sdk/capture/wire.ts';

type Position = Pick<ProgressReport, 'step' | 'step_index' | 'camera_permission'>;

/** Tells the service where the person is, each change once; leaving before the end is told with the last breath. */
export function createReporter(client: CaptureClient) {
  const startedAt = performance.now();
  let last: Position | undefined;
  let told = '';
  const report = (position: Position): ProgressReport => ({
    schema_version: 1,
    ...position,
    elapsed_ms: Math.round(performance.now() - startedAt),
  });
  const finished = () => last === undefined || last.step === 'success';

  addEventListener('pagehide', () => {
    if (last && !finished()) client.progressOnLeave({ ...report(last), abandoned: true });
  });
  // Shown again from the browser's back-forward cache: not gone after all.
  addEventListener('pageshow', event => {
    if (event.persisted && last) void client.progress(report(last)).catch(() => {});
  });

  return {
    at(position: Position): void {
      const key = JSON.stringify(position);
      if (key === told) return;
      told = key;
      last = position;
      // Best effort: the person's way does not depend on whether it was watched.
      client.progress(report(position)).catch(() => {});
    },
    /** Nothing is left to leave early from: no `abandoned` any more. */
    end(): void {
      last = undefined;
    },
  };
}

export type Reporter = ReturnType<typeof createReporter>;
