import type { CaptureClient } from '@firsthand/sdk/capture/client.ts';
import type { ProgressReport } from '@firsthand/sdk/capture/wire.ts';

export type Position = Pick<ProgressReport, 'step' | 'step_index' | 'camera_permission'>;

/** The page or app around, which hears of the same. */
type Around = { step: (position: Position) => void; left: () => void };

const TOUCHES = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/**
 * Reports the person's place to the service and to the page around, once per change. Sends the service one
 * report at a time, and after it the latest of those that came meanwhile. Reports an early exit while the page closes.
 * The service hears nothing before somebody touches the page: mail scanners open links too, and some run scripts.
 */
export function createReporter(client: CaptureClient, around: Around) {
  const startedAt = performance.now();
  let last: Position | undefined;
  let told = '';
  const report = (position: Position): ProgressReport => ({
    schema_version: 1,
    ...position,
    elapsed_ms: Math.round(performance.now() - startedAt),
  });
  let touched = false;
  const onTouch = () => {
    if (!touched && last) void send(last);
    touched = true;
  };
  for (const kind of TOUCHES) addEventListener(kind, onTouch, { once: true, passive: true });

  const finished = () => last === undefined || last.step === 'success';

  // Each report replaces the one before, and two requests under way at once may arrive in either order.
  let sending = false;
  let waiting: ProgressReport | undefined;
  async function send(position: Position): Promise<void> {
    waiting = report(position);
    if (sending) return;
    sending = true;
    while (waiting) {
      const next = waiting;
      waiting = undefined;
      // Best effort: a lost report must not stop the person.
      await client.progress(next).catch(() => {});
    }
    sending = false;
  }

  addEventListener('pagehide', () => {
    // The last report may end with the page that sends it.
    if (last?.step === 'success' && sending) client.progressOnLeave(report(last));
    if (!last || finished()) return;
    if (touched) client.progressOnLeave({ ...report(last), abandoned: true });
    around.left();
  });
  // The page came back from the back-forward cache, so the person did not leave.
  addEventListener('pageshow', event => {
    if (event.persisted && last && touched) void send(last);
    if (event.persisted && last) around.step(last);
  });

  return {
    at(position: Position): void {
      const key = JSON.stringify(position);
      if (key === told) return;
      told = key;
      last = position;
      around.step(position);
      // Only a press leads on from the first screen.
      touched ||= position.step !== 'landing';
      if (touched) void send(position);
    },
    /** The visit is complete, so leaving no longer reports `abandoned`. */
    end(): void {
      last = undefined;
    },
  };
}

export type Reporter = ReturnType<typeof createReporter>;
