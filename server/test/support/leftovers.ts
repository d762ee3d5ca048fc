import pg from 'pg';

const HELD = [
  'select $$a claim on webhooks of node $$ || node as what from webhook_claims',
  'select $$a lock on the job $$ || task_identifier from graphile_worker.jobs where locked_at is not null',
  `select 'a failed job ' || task_identifier || ': ' || left(last_error, 300) from graphile_worker.jobs where last_error is not null`,
].join(' union all ');

/** What a service that was asked to stop left in its database: claims, locks and failed jobs. */
export async function leftoversIn(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ what: string }>(HELD)).rows.map(({ what }) => what);
  } finally {
    await client.end();
  }
}

/** The errors in a log, a JSON line each, but for those that the test expects. */
export const errorsIn = (logged: readonly string[], expected: readonly RegExp[]): string[] =>
  logged.filter(line => JSON.parse(line).level >= 50 && !expected.some(pattern => pattern.test(line)));
