-- Facts that nobody has been told of yet. Written with the event, taken by whoever announces it.
create table event_outbox (
  event_id text primary key references events on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

-- The transaction that recorded an event: whoever reads events as a stream stops before the oldest one still open, and
-- misses none that commits late.
alter table events add column recorded_in xid8 not null default pg_current_xact_id();
drop index events_by_tenant;
create index events_as_stream on events (tenant_id, recorded_in, id);

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

insert into webhook_endpoints (id, tenant_id, livemode, url, url_sha256, due_at, created_at)
select 'whe_0' || substr(upper(md5(random()::text || url)), 1, 25), tenant_id, livemode, url, sha256(convert_to(url, 'UTF8')),
  min(coalesce(next_attempt_at, created_at)) filter (where status = 'pending'), min(created_at)
from webhook_deliveries group by tenant_id, livemode, url;

alter table webhook_deliveries
  add column endpoint_id text references webhook_endpoints,
  -- How many attempts belong to an earlier round: asking for a retry begins the schedule anew.
  add column earlier_attempts integer not null default 0;
update webhook_deliveries d set endpoint_id = e.id
from webhook_endpoints e where e.tenant_id = d.tenant_id and e.livemode = d.livemode and e.url = d.url;
alter table webhook_deliveries alter column endpoint_id set not null;
-- Takes webhook_deliveries_once along.
alter table webhook_deliveries drop column url;
create unique index webhook_deliveries_once on webhook_deliveries (event_id, endpoint_id);
create index webhook_deliveries_unfinished on webhook_deliveries (tenant_id, status, id desc) where status <> 'succeeded';

-- The pending deliveries, and nothing else of them: what changes with every attempt is kept apart from what is kept.
create table webhook_queue (
  delivery_id text primary key references webhook_deliveries on delete cascade,
  endpoint_id text not null references webhook_endpoints on delete cascade,
  run_at timestamptz not null,
  -- The node that sends it now; run_at is then the moment its claim lapses.
  claimed_by text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
create index webhook_queue_due on webhook_queue (endpoint_id, run_at);

insert into webhook_queue (delivery_id, endpoint_id, run_at)
select id, endpoint_id, coalesce(next_attempt_at, created_at) from webhook_deliveries where status = 'pending';
insert into event_outbox (event_id)
select e.id from events e join verifications v on v.id = e.verification_id
where v.config ? 'webhook_url' and not exists (select from webhook_deliveries d where d.event_id = e.id);
