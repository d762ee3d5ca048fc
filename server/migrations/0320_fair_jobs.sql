-- Lanes and clocks of every kind of work that takes turns by account and mode. `analysis_lanes` and `analysis_clock` stay for nodes of
-- the previous version; nodes of this version do not use them.
create table turn_lanes (
  -- What takes turns here: `captures`, `slow_jobs`.
  kind text not null,
  tenant_id text not null references tenants,
  livemode boolean not null,
  class smallint not null,
  cost smallint not null,
  next_turn bigint not null,
  primary key (kind, tenant_id, livemode)
);
insert into turn_lanes (kind, tenant_id, livemode, class, cost, next_turn)
  select 'captures', tenant_id, livemode, class, cost, next_turn from analysis_lanes;

-- The turn of the work of each kind that was taken last. A lane that was idle starts again here.
create table turn_clocks (
  kind text primary key,
  turn bigint not null
);
insert into turn_clocks (kind, turn) select 'captures', turn from analysis_clock;
insert into turn_clocks (kind, turn) values ('slow_jobs', 0);

-- Jobs that wait for a model or a text reader. A row goes with the end of its job.
create table slow_jobs (
  id bigint generated always as identity primary key,
  task text not null,
  -- The verification or the capture that the job is about.
  subject_id text not null,
  tenant_id text not null references tenants,
  livemode boolean not null,
  added_at timestamptz not null default now(),
  traceparent text,
  -- The turn of the job; 0 live, 1 test, 2 trial: the order at the same turn.
  turn bigint not null default 0,
  class smallint not null default 0,
  -- Attempts begun, including one that ended its process.
  attempts smallint not null default 0,
  -- The end of a pause, or of the claim of the node that works on it.
  due_at timestamptz not null default now()
);
create index slow_jobs_in_turn on slow_jobs (turn, class, id);
create index slow_jobs_by_subject on slow_jobs (subject_id);
