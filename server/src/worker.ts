import { setTimeout as sleep } from 'node:timers/promises';
import { stampLog } from './custody/bundles/stamp-log.ts';
import { sweepErasures } from './custody/erasure/finish.ts';
import { redactInBulk } from './custody/erasure/redact.ts';
import { sweepRetention } from './custody/erasure/retention.ts';
import { forgetChanges } from './delivery/changes/hub.ts';
import { mailCaptureLink, sendLink } from './delivery/notifications/capture-link.ts';
import { chatOutcome } from './delivery/notifications/chat.ts';
import { mailEndpointDisabled } from './delivery/notifications/endpoint-disabled.ts';
import { forgetMessages } from './delivery/notifications/erase.ts';
import { mailMention } from './delivery/notifications/mention.ts';
import { sendOneTimeCode } from './delivery/notifications/one-time-code.ts';
import { mailOutcome } from './delivery/notifications/outcome.ts';
import { mailSignInLink } from './delivery/notifications/sign-in-link.ts';
import { startDispatcher } from './delivery/webhooks/dispatcher.ts';
import { sweepAddresses } from './delivery/webhooks/erase.ts';
import { runBatch } from './desk/batches/run-batch.ts';
import { ACTIONS } from './desk/bulk/actions.ts';
import { runBulkAction } from './desk/bulk/run-bulk-action.ts';
import { foldStatistics } from './desk/statistics/fold.ts';
import { forgetSignatures } from './identity/auth/bot.ts';
import { forgetSignIns } from './identity/people/forget.ts';
import { sweepExamples } from './identity/tenants/example-pictures.ts';
import { createOverdueSweep } from './inspection/analysis/overdue.ts';
import { fileFingerprints } from './inspection/analysis/reverse/filing.ts';
import { startAnalyses } from './inspection/analysis/run.ts';
import { analyzeCase } from './inspection/cases/analyze-case.ts';
import { readText } from './inspection/checks/read-text.ts';
import { checkSubject } from './inspection/checks/subject.ts';
import { one, transaction } from './platform/db/sql.ts';
import type { Deps } from './platform/deps.ts';
import { forgetKeys } from './platform/http/idempotency.ts';
import { SLOW_JOBS } from './platform/jobs/queue.ts';
import { type RunningWorkers, startWorkers, type Tasks } from './platform/jobs/runner.ts';
import { type SlowTasks, startSlowJobs } from './platform/jobs/slow.ts';
import { forgetWindows } from './platform/limits/postgres.ts';
import { startLog } from './record/evidence/run.ts';
import { CAPTURES } from './verification/captures/analysis-queue.ts';
import { sweepUploads } from './verification/captures/upload-addresses.ts';
import { settle } from './verification/verdict/settle.ts';
import { sweepExpired } from './verification/verifications/advance.ts';

/** Job name to the one call into the domain that does it. */
const TASKS: Tasks = {
  settle: (deps, { verification_id }) => transaction(deps.db, tx => settle(tx, deps, verification_id)),
  file_fingerprints: (deps, { scope_id }) => fileFingerprints(deps, scope_id),
  run_batch: (deps, { batch_id }) => runBatch(deps, batch_id),
  run_bulk_act: (deps, { bulk_act_id }) => runBulkAction(deps, bulk_act_id, { ...ACTIONS, redact: redactInBulk }),
  mail_capture_link: (deps, { verification_id }) => mailCaptureLink(deps, verification_id),
  send_link: (deps, { message_id }) => sendLink(deps, message_id),
  chat_outcome: (deps, { event_id }) => chatOutcome(deps, event_id),
  mail_outcome: (deps, { event_id }) => mailOutcome(deps, event_id),
  mail_endpoint_disabled: (deps, { endpoint_id }) => mailEndpointDisabled(deps, endpoint_id),
  mail_mention: (deps, { comment_id, person_id }) => mailMention(deps, comment_id, person_id),
  mail_sign_in_link: (deps, { mail_id }) => mailSignInLink(deps, mail_id),
  send_one_time_code: (deps, { otp_id }) => sendOneTimeCode(deps, otp_id),
};

/** Jobs that wait for a model or a text reader. They have places of their own, so that no verdict waits behind them. */
const SLOW_TASKS: SlowTasks = { check_subject: checkSubject, read_text: readText, analyze_case: analyzeCase };

interface Duty {
  name: string;
  work(deps: Deps, signal: AbortSignal): Promise<void>;
}

/** Done within a second of its time. Every node watches; two at once do no harm. */
interface Watched extends Duty {
  /** SQL that says whether there is work; `$1` is the time. A node asks for all duties with one statement. */
  due: string;
}

const WATCH_MS = 1_000;
const WATCHED: readonly Watched[] = [
  {
    name: 'expire',
    due: `exists (select from verifications where status in ('pending', 'partially_captured', 'abandoned') and expires_at <= $1)`,
    async work(deps) {
      while ((await transaction(deps.db, tx => sweepExpired(tx, deps))) === 100);
    },
  },
  { name: 'erasures', due: 'exists (select from erasures where due_at <= $1)', work: sweepErasures },
  {
    name: 'addresses of erased verifications',
    due: 'exists (select from webhook_endpoints where forget)',
    work: sweepAddresses,
  },
];

interface Sweep extends Duty {
  everyMs: number;
}

/** Periodic tasks. Every node runs them; two runs at once do no harm. */
const SWEEPS: readonly Sweep[] = [
  { name: 'forget changes', everyMs: 60_000, work: forgetChanges },
  { name: 'statistics', everyMs: 5_000, work: foldStatistics },
  { name: 'unclaimed uploads', everyMs: 60_000, work: sweepUploads },
  { name: 'time stamp of the log', everyMs: 60_000, work: stampLog },
  { name: 'overdue analyses', everyMs: 60_000, work: createOverdueSweep() },
  { name: 'retention', everyMs: 10_000, work: sweepRetention },
  {
    name: 'forget idempotency keys',
    everyMs: 600_000,
    work: deps => forgetKeys(deps.db, deps.clock.now()),
  },
  {
    name: 'forget sessions and sign-ins that are over',
    everyMs: 600_000,
    work: forgetSignIns,
  },
  { name: 'forget example pictures that nothing names', everyMs: 600_000, work: sweepExamples },
  { name: 'forget messages of ended verifications', everyMs: 600_000, work: forgetMessages },
  {
    name: 'forget rate windows and bot signatures',
    everyMs: 600_000,
    async work(deps) {
      await forgetWindows(deps.db);
      await forgetSignatures(deps);
    },
  },
];

export interface RunningWorker extends RunningWorkers {
  /** Resolves when every analysis thread has loaded its models. */
  warm: Promise<void>;
}

/** Runs the jobs, the sweeps and the webhooks until stopped. `alone`: the database is this process's own. */
export async function startWorker(deps: Deps, o: { alone: boolean }): Promise<RunningWorker> {
  const workers = await startWorkers(deps, TASKS, { ...o, concurrency: deps.config.workerConcurrency });
  const slow = await startSlowJobs(deps, SLOW_TASKS, { ...o, places: deps.config.vision?.concurrency ?? 2 });
  const analyses = await startAnalyses(deps, o);
  const webhooks = await startDispatcher(deps, {
    ...o,
    also: { [CAPTURES.channel]: analyses.ring, [SLOW_JOBS.channel]: slow.ring },
  });
  const log = startLog(deps);
  const stopping = new AbortController();
  const sweeping = [...SWEEPS.map(sweep => repeat(deps, sweep, stopping.signal)), watch(deps, stopping.signal)];
  return {
    warm: analyses.warm,
    async stop() {
      stopping.abort();
      await Promise.all([workers.stop(), slow.stop(), analyses.stop(), webhooks.stop(), log.stop(), ...sweeping]);
    },
  };
}

const perform = (deps: Deps, { name, work }: Duty, signal: AbortSignal): Promise<void> =>
  work(deps, signal).catch(error => deps.log.error({ err: error, sweep: name }, 'sweep failed; it comes round again'));

async function repeat(deps: Deps, sweep: Sweep, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await perform(deps, sweep, signal);
    await sleep(sweep.everyMs, undefined, { signal }).catch(() => {});
  }
}

/** Looks every second which of the watched duties have work. Each runs by itself, so that none waits for another. */
async function watch(deps: Deps, signal: AbortSignal): Promise<void> {
  const sql = `select array[${WATCHED.map(({ due }) => due).join(', ')}] as due`;
  const running = new Map<Watched, Promise<void>>();
  while (!signal.aborted) {
    try {
      const found = await one<{ due: boolean[] }>(deps.db, sql, [deps.clock.now()]);
      for (const [n, duty] of WATCHED.entries()) {
        if (!found!.due[n] || running.has(duty)) continue;
        running.set(
          duty,
          perform(deps, duty, signal).finally(() => running.delete(duty)),
        );
      }
    } catch (error) {
      deps.log.error({ err: error }, 'the database does not say what is due; it is asked again');
    }
    await sleep(WATCH_MS, undefined, { signal }).catch(() => {});
  }
  await Promise.all(running.values());
}
