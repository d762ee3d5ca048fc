-- One act on many verifications.

create table bulk_acts (
  id text primary key,
  tenant_id text not null references tenants (id),
  -- The act reaches verifications of these modes only.
  modes boolean[] not null,
  act text not null check (act in ('cancel', 'resend', 'reissue', 'review', 'redact')),
  options jsonb not null,
  -- Who ordered it: every verification's own line in the audit log names them.
  activity jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'collecting', 'running', 'completed', 'cancelled')),
  -- The verifications still to be collected, and the place reached. Null once all are collected, because a filter can name a person.
  filter jsonb,
  collected_to jsonb,
  total integer not null default 0,
  done integer not null default 0,
  failed integer not null default 0,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index bulk_acts_by_tenant on bulk_acts (tenant_id, id desc);

create table bulk_act_items (
  bulk_act_id text not null references bulk_acts (id),
  number integer not null,
  verification_id text not null references verifications (id),
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  error text,
  -- The verification that `reissue` made.
  created_id text references verifications (id),
  primary key (bulk_act_id, number)
);
create index bulk_act_items_waiting on bulk_act_items (bulk_act_id, number) where state = 'waiting';
