import { one, type Queryable, type Tx } from '../db/sql.ts';
import { traceparentOf } from '../lib/tracing.ts';
import { type Claim, createTurns, type Owner } from './turns.ts';

/** The payload of each job: only ids. A job is safe to run twice, and safe to run after its row was deleted. */
export interface JobPayloads {
  settle: { verification_id: string };
  file_fingerprints: { scope_id: number };
  run_batch: { batch_id: string };
  run_bulk_act: { bulk_act_id: string };
  mail_capture_link: { verification_id: string };
  send_link: { verification_id: string; message_id: string };
  mail_outcome: { event_id: string };
  chat_outcome: { event_id: string };
  mail_endpoint_disabled: { endpoint_id: string };
  mail_mention: { comment_id: string; person_id: string };
  mail_sign_in_link: { mail_id: string };
  send_one_time_code: { otp_id: string };
}

export interface JobOptions {
  runAt?: Date;
  maxAttempts?: number;
  /** Jobs of one queue run one after another. */
  queue?: string;
  /** A second job with the same key replaces the first while the first waits. */
  key?: string;
}

/** Jobs that wait for a model or a text reader, each about one verification or capture. They take turns by account and mode. */
export type SlowTask = 'check_subject' | 'read_text' | 'analyze_case';

export type SlowJobRow = Claim & { task: SlowTask; subject_id: string };

export const SLOW_JOBS = createTurns<SlowJobRow>({
  kind: 'slow_jobs',
  channel: 'firsthand_slow_jobs',
  table: 'slow_jobs',
  waiting: 'true',
  turn: 'turn',
  class: 'class',
  attempts: 'attempts',
  due: 'due_at',
});

/**
 * Adds a slow job in the caller's transaction: the job exists if and only if its cause does. Call this after whatever
 * locks rows: it locks the lane of the account until the commit.
 */
export async function addSlowJob(tx: Tx, task: SlowTask, subjectId: string, owner: Owner): Promise<void> {
  const added = await one<{ id: string }>(
    tx,
    'insert into slow_jobs (task, subject_id, tenant_id, livemode) values ($1, $2, $3, $4) returning id',
    [task, subjectId, owner.tenant_id, owner.livemode],
  );
  await SLOW_JOBS.join(tx, owner, added!.id);
}

/** Deletes the waiting jobs of verifications, with the faults of their last attempts. One that runs finds its rows gone. */
export async function dropJobs(
  tx: Queryable,
  of: { verificationIds: readonly string[]; captureIds: readonly string[] },
): Promise<void> {
  await tx.query(
    `select graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs
       where flags ?| array(select unnest($1::text[]) union all select id from events where verification_id = any($1))))`,
    [of.verificationIds],
  );
  await tx.query('delete from slow_jobs where subject_id = any($1)', [[...of.verificationIds, ...of.captureIds]]);
}

/** What a traced caller adds to the payload, so that the job continues its trace. */
export interface Traced {
  traceparent?: string;
}

/**
 * Adds a job in the caller's transaction: the job exists if and only if its cause does. Its ids are its flags too, by
 * which {@link dropJobs} finds it: the queue shows flags, not payloads.
 */
export async function addJob<N extends keyof JobPayloads>(
  tx: Queryable,
  name: N,
  payload: JobPayloads[N],
  o: JobOptions = {},
): Promise<void> {
  await tx.query(
    `select graphile_worker.add_job($1, payload => $2::json, queue_name => $3, run_at => $4, max_attempts => $5,
       job_key => $6, flags => $7::text[])`,
    [
      name,
      JSON.stringify({ ...payload, traceparent: traceparentOf() ?? undefined }),
      o.queue ?? null,
      o.runAt ?? null,
      o.maxAttempts ?? null,
      o.key ?? null,
      Object.values(payload).map(String),
    ],
  );
}
