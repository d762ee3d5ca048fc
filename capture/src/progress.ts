import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import type { ProgressReport } from '@firsthand/sdk/capture/wire.ts';

type Position = Pick<ProgressReport, 'step' | 'step_index' | 'camera_permission'>;

/** Reports the person's place to the service, once per change. Reports an early exit while the page closes. */
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
  // The page came back from the back-forward cache, so the person did not leave.
  addEventListener('pageshow', event => {
    if (event.persisted && last) void client.progress(report(last)).catch(() => {});
  });

  return {
    at(position: Position): void {
      const key = JSON.stringify(position);
      if (key === told) return;
      told = key;
      last = position;
      // Best effort: a lost report must not stop the person.
      client.progress(report(position)).catch(() => {});
    },
    /** The visit is complete, so leaving no longer reports `abandoned`. */
    end(): void {
      last = undefined;
    },
  };
}

export type Reporter = ReturnType<typeof createReporter>;
