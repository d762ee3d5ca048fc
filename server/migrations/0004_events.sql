-- Facts, in the order they happened to each verification. `body` is the public webhook body, frozen here.
create table events (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  verification_id text references verifications,
  type text not null,
  public_type text,
  sequence integer,
  body text,
  created_at timestamptz not null,
  -- The transaction that recorded it. A reader of the stream stops before the oldest transaction still open, so it misses
  -- no event that commits late.
  recorded_in xid8 not null default pg_current_xact_id(),
  unique (verification_id, sequence)
);
create index events_as_stream on events (tenant_id, recorded_in, id);

-- Events that are still to be announced. Written with the event, without a foreign key: that would be one more look-up
-- for every event.
create table event_outbox (
  event_id text primary key
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
