create table tenants (
  id text primary key,
  name text not null,
  notify_email text,
  retention_days integer check (retention_days > 0),
  rate_limit_per_minute integer check (rate_limit_per_minute > 0),
  is_trial boolean not null default false,
  created_at timestamptz not null default now()
);
-- At most one tenant holds what people try out.
create unique index tenants_one_trial on tenants (is_trial) where is_trial;

-- One row without an end is the secret that signs; a rotated one verifies until expires_at.
create table webhook_secrets (
  id bigint generated always as identity primary key,
  tenant_id text not null references tenants,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create unique index webhook_secrets_current on webhook_secrets (tenant_id) where expires_at is null;

create table api_keys (
  id text primary key,
  tenant_id text not null references tenants,
  name text not null,
  kind text not null check (kind in ('publishable', 'secret')),
  livemode boolean,
  -- SHA-256 of the plaintext, which is shown once and never stored.
  hash bytea not null unique,
  prefix text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  check ((kind = 'secret') = (livemode is null))
);
create index api_keys_by_tenant on api_keys (tenant_id, id desc);

-- Management acts, each written in the transaction of the act. `detail` holds no secret.
create table audit_log (
  id text primary key,
  tenant_id text not null references tenants,
  actor jsonb not null,
  action text not null,
  target text,
  detail jsonb not null default '{}',
  request_id text,
  created_at timestamptz not null,
  address text,
  device text
);
create index audit_log_by_tenant on audit_log (tenant_id, id desc);

create table brands (
  tenant_id text not null references tenants,
  slug text not null,
  -- Counts up: the order of a list.
  number bigint generated always as identity,
  name text not null,
  -- As given, `#rrggbb`; what is worn is made legible when it is read.
  accent text,
  background text,
  -- Names the picture in the blob store and in its public address; a new picture has a new one.
  logo_id text unique,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, slug),
  check (background is null or accent is not null)
);

-- Keys that the installation made for itself, encrypted.
create table settings (
  name text primary key,
  sealed text not null,
  created_at timestamptz not null default now()
);
