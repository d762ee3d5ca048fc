create table tenants (
  id text primary key,
  name text not null,
  notify_email text,
  retention_days integer check (retention_days > 0),
  rate_limit_per_minute integer check (rate_limit_per_minute > 0),
  is_trial boolean not null default false,
  created_at timestamptz not null default now()
);

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

create table verifications (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  status text not null default 'pending'
    check (status in ('pending', 'partially_captured', 'completed', 'expired', 'failed', 'abandoned')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  -- Fixed at issue: what GET shows as config.
  config jsonb not null,
  -- Fixed at issue, never shown: seal, brand_slug, person, asset_ref, ocr_type, test_outcome, template.
  private jsonb not null default '{}',
  external_ref text,
  captures_count integer not null default 0 check (captures_count between 0 and 20),
  answers jsonb not null default '{}',
  progress jsonb,
  verdict jsonb,
  narrative text,
  finalized_at timestamptz,
  case_analysis jsonb,
  object_match jsonb,
  condition jsonb,
  event_sequence integer not null default 0,
  redacted_at timestamptz,
  check (verdict is null or status = 'completed')
);
create index verifications_by_tenant on verifications (tenant_id, livemode, id desc);
create index verifications_by_external_ref on verifications (tenant_id, external_ref, id desc) where external_ref is not null;
create index verifications_by_metadata on verifications using gin ((config -> 'metadata') jsonb_path_ops);
create index verifications_due on verifications (expires_at)
  where status in ('pending', 'partially_captured', 'abandoned');

create table captures (
  id text primary key,
  verification_id text not null references verifications,
  tenant_id text not null references tenants,
  step_key text not null,
  source text not null check (source in ('live', 'upload')),
  surface text,
  content_type text not null,
  size_bytes integer not null,
  width integer not null,
  height integer not null,
  sha256 text not null,
  -- Where the original, the preview and the second frame lie in the blob store.
  image_blob text not null,
  preview_blob text,
  motion_blob text,
  created_at timestamptz not null,
  client_captured_at timestamptz,
  idempotency_key text,
  location jsonb,
  attestation jsonb,
  location_match jsonb,
  -- What the detectors found, and what the file says of itself.
  signals jsonb,
  metadata jsonb,
  text jsonb,
  analysis_state text not null default 'pending' check (analysis_state in ('pending', 'done', 'failed')),
  analysis_error text,
  analyzed_at timestamptz
);
create unique index captures_by_verification on captures (verification_id, id);
create unique index captures_by_idempotency_key on captures (verification_id, idempotency_key) where idempotency_key is not null;

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
  unique (verification_id, sequence)
);
create index events_by_tenant on events (tenant_id, id desc);

create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  locked_until timestamptz,
  status integer,
  body text,
  primary key (scope, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table geocodes (
  query text primary key,
  latitude double precision,
  longitude double precision,
  answered_at timestamptz not null
);

-- Which workers are alive: a job locked by a worker that is not is handed to another at once.
create table worker_nodes (
  worker_id text primary key,
  seen_at timestamptz not null
);

create table settings (
  name text primary key,
  sealed text not null,
  created_at timestamptz not null default now()
);
