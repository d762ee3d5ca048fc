-- Analyses are taken straight from the captures, fairly between tenants, and an attempt is counted before it runs.
alter table captures
  -- When its turn comes, by the clock below.
  add column analysis_turn bigint not null default 0,
  -- 0 live, 1 test, 2 trial: who goes first at the same turn.
  add column analysis_class smallint not null default 0,
  -- Attempts begun; one that ended its process is among them.
  add column analysis_attempts smallint not null default 0,
  -- Not before: the end of a pause, or of the claim of the node that works on it.
  add column analysis_due_at timestamptz not null default now();
create index captures_to_analyse on captures (analysis_turn, analysis_class, id) where analysis_state = 'pending';

-- Where the captures of one tenant and mode have got to: each new one is put behind the last.
create table analysis_lanes (
  tenant_id text not null references tenants,
  livemode boolean not null,
  class smallint not null,
  cost smallint not null,
  next_turn bigint not null,
  primary key (tenant_id, livemode)
);

-- One row: the turn of the capture that was taken last. A lane that was idle starts again here.
create table analysis_clock (
  id boolean primary key default true check (id),
  turn bigint not null
);
insert into analysis_clock (turn) values (0);

-- Analyses were jobs before.
do $$ begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
    where j.task_id = t.id and t.identifier = 'analyze_capture';
  end if;
end $$;
