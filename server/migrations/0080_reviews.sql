-- What people decide beside a verdict.

alter table tenants
  add column review_policy text not null default 'one' check (review_policy in ('none', 'one', 'two_people')),
  -- The share of verified verifications that people see as well.
  add column review_sample double precision not null default 0.02 check (review_sample between 0 and 1);

alter table verifications
  -- `none`: no review was ever opened. `claimed` is `open` with a claim that has not run out.
  add column review_state text not null default 'none' check (review_state in ('none', 'open', 'disputed', 'decided')),
  -- How many people must decide, by the policy of the day the review was opened.
  add column review_needs smallint check (review_needs in (1, 2)),
  -- Why it was opened: `suspicious`, `failed`, `checks`, `sample`. Never shown: a sample is unmarked.
  add column review_causes jsonb,
  add column review_opened_at timestamptz,
  add column review_escalated boolean not null default false,
  add column review_decision text,
  add column review_decided_at timestamptz,
  -- Who has the case on screen: {person_id, name}.
  add column review_claimed_by jsonb,
  add column review_claimed_at timestamptz,
  add column review_claimed_until timestamptz;

-- The queue, oldest first. No claim touches an indexed column.
create index verifications_to_review on verifications (tenant_id, livemode, review_opened_at, id)
  where review_state in ('open', 'disputed');
create index verifications_by_review on verifications (tenant_id, livemode, review_state, created_at desc, id desc)
  where review_state <> 'none';

create table reviews (
  id text primary key,
  -- The order in which they were made, which the clock does not tell within a millisecond.
  number bigint generated always as identity,
  verification_id text not null references verifications (id),
  tenant_id text not null references tenants (id),
  person_id text not null references persons (id),
  person_name text not null,
  decision text not null check (decision in ('approved', 'rejected', 'retake', 'escalated')),
  reasons jsonb not null,
  note text,
  flags jsonb,
  blind boolean not null,
  seconds integer not null check (seconds >= 0),
  created_at timestamptz not null,
  struck_at timestamptz
);
create index reviews_by_verification on reviews (verification_id, number);
