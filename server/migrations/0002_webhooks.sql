-- One event on its way to one address. The body is the event's, frozen when it was recorded.
create table webhook_deliveries (
  id text primary key,
  event_id text not null references events,
  tenant_id text not null references tenants,
  livemode boolean not null,
  verification_id text references verifications,
  type text not null,
  url text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz,
  created_at timestamptz not null
);
create unique index webhook_deliveries_once on webhook_deliveries (event_id, url);
create index webhook_deliveries_by_tenant on webhook_deliveries (tenant_id, id desc);
create index webhook_deliveries_by_verification on webhook_deliveries (verification_id, id desc);
