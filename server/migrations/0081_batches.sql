-- Many verifications from one list.

create table batches (
  id text primary key,
  tenant_id text not null references tenants (id),
  livemode boolean not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'completed', 'cancelled')),
  -- The request that every row is laid over, and the template version it came from.
  request jsonb not null,
  template jsonb,
  -- Whether people with an e-mail address get their link by mail.
  send boolean not null,
  total integer not null,
  created integer not null default 0,
  failed integer not null default 0,
  -- Links queued for mailing: each has its turn by the pace of the batch.
  mailed integer not null default 0,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index batches_by_tenant on batches (tenant_id, id desc);

create table batch_rows (
  batch_id text not null references batches (id),
  -- As a spreadsheet counts.
  row integer not null,
  -- What the row says. Null once its verification is made or the batch cancelled: no second copy of a person is kept.
  content jsonb,
  verification_id text references verifications (id),
  error text,
  primary key (batch_id, row)
);
create index batch_rows_waiting on batch_rows (batch_id, row) where content is not null;
create index batch_rows_by_verification on batch_rows (verification_id) where verification_id is not null;
