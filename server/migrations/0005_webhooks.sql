-- An address that a tenant's events of one mode go to.
create table webhook_endpoints (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  url text not null,
  -- An index entry has a size limit that a URL has not.
  url_sha256 bytea not null,
  -- No later than the moment its next queued delivery is due; null: nothing is queued.
  due_at timestamptz,
  -- It failed or was slow the last time: it is sent to from a pool of its own.
  ailing boolean not null default false,
  failing_since timestamptz,
  disabled_at timestamptz,
  created_at timestamptz not null
) with (fillfactor = 70);
create unique index webhook_endpoints_once on webhook_endpoints (tenant_id, livemode, url_sha256);
create index webhook_endpoints_by_tenant on webhook_endpoints (tenant_id, id desc);
create index webhook_endpoints_due on webhook_endpoints (ailing, due_at) where due_at is not null;

-- One event on its way to one endpoint. The body is the event's. A claim and an outcome are one update each of a fresh row:
-- if the new version fits beside the old one and no indexed column changes, no index is written (a heap-only tuple),
-- which halves the cost of a delivery. The event names the verification and the endpoint the tenant, so neither is a
-- foreign key.
create table webhook_deliveries (
  id text primary key,
  event_id text not null references events,
  tenant_id text not null,
  livemode boolean not null,
  verification_id text,
  type text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  endpoint_id text not null references webhook_endpoints,
  -- How many attempts belong to an earlier round: a resend begins the schedule again.
  earlier_attempts integer not null default 0,
  -- When it ended without being accepted. A success leaves this empty, so it changes no index.
  failed_at timestamptz
) with (fillfactor = 45);
create unique index webhook_deliveries_once on webhook_deliveries (event_id, endpoint_id);
create index webhook_deliveries_by_tenant on webhook_deliveries (tenant_id, id desc);
create index webhook_deliveries_by_verification on webhook_deliveries (verification_id, id desc);
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, id desc) where failed_at is not null;

-- The pending deliveries, with what a claim needs to know of them. A claimed delivery leaves the queue.
create table webhook_queue (
  delivery_id text primary key references webhook_deliveries on delete cascade,
  endpoint_id text not null,
  run_at timestamptz not null,
  event_id text not null,
  attempts integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
create index webhook_queue_due on webhook_queue (endpoint_id, run_at);

-- All deliveries that a node took at once.
create table webhook_claims (
  id text primary key,
  node text not null,
  -- When the claim lapses, should the node vanish.
  until timestamptz not null,
  delivery_ids text[] not null
);
create index webhook_claims_until on webhook_claims (until);
