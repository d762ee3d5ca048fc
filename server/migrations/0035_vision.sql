-- The context check's opinion of a capture, where one was asked for.
alter table captures add column context jsonb;

-- When object and condition were put to the vision model, and when its answers, or its silence, were written down.
alter table verifications add column checks_started_at timestamptz;
alter table verifications add column checks_done_at timestamptz;

-- Equal files in a tenant's earlier cases.
create index captures_by_hash on captures (tenant_id, sha256);
