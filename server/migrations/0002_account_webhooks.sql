-- delivery/webhooks: endpoints that an account registers for the events of all its verifications of one mode.

alter table webhook_endpoints
  -- Null: only verifications that name the address are told there.
  add column registered_at timestamptz,
  -- The types of events that a registered endpoint gets; null: all.
  add column events text[],
  add column description text,
  -- A verification or a person named the address. False: the account registered it, and when it removes it nothing is sent there.
  add column named boolean not null default true;
create index webhook_endpoints_registered on webhook_endpoints (tenant_id, livemode) where registered_at is not null;
