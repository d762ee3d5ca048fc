import { expect, it } from 'vitest';
import { summaryOf, traceparentOf } from './tracing.ts';

it.each([
  ['select * from verifications where id = $1', 'select verifications'],
  [
    'with event as (insert into events (id) values ($1) returning id) insert into event_outbox select id from event',
    'insert events',
  ],
  ['update captures set analysis_due_at = now() where id = any($1)', 'update captures'],
  ['update webhook_endpoints e set due_at = null', 'update webhook_endpoints'],
  ['select 1 from verifications where id = $1 for update', 'select verifications'],
  ['delete from event_outbox where event_id = $1', 'delete event_outbox'],
  ['select graphile_worker.add_job($1)', 'select'],
  ['begin; set local statement_timeout = 3', 'begin'],
  ['commit', 'commit'],
])('summaryOf names the verb and the table of %s', (sql, summary) => {
  expect(summaryOf(sql)).toBe(summary);
});

it('traceparentOf gives null while nothing is traced', () => {
  expect(traceparentOf()).toBeNull();
});
