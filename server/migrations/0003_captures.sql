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
  analyzed_at timestamptz,
  -- The context check's opinion, if one was asked for.
  context jsonb,
  -- When its turn comes, by the clock below.
  analysis_turn bigint not null default 0,
  -- 0 live, 1 test, 2 trial: the order at the same turn.
  analysis_class smallint not null default 0,
  -- Attempts begun, including one that ended its process.
  analysis_attempts smallint not null default 0,
  -- The end of a pause, or of the claim of the node that works on it.
  analysis_due_at timestamptz not null default now()
);
create unique index captures_by_verification on captures (verification_id, id);
create unique index captures_by_idempotency_key on captures (verification_id, idempotency_key) where idempotency_key is not null;
-- Equal files in a tenant's earlier cases.
create index captures_by_hash on captures (tenant_id, sha256);
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

-- Addresses that were given out for one upload each and that no capture has used yet; what lies there unclaimed is swept.
create table upload_addresses (
  capture_id text primary key,
  verification_id text not null references verifications,
  ends_at timestamptz not null,
  swept_at timestamptz
);
create index upload_addresses_by_verification on upload_addresses (verification_id, ends_at);
create index upload_addresses_by_end on upload_addresses (ends_at);

-- Keys of phone apps that Apple's App Attest has vouched for. No row says whose phone it is.
create table app_attest_keys (
  -- SHA-256 of the public key, base64.
  key_id text primary key,
  -- `<team>.<bundle>`.
  app_id text not null,
  environment text not null check (environment in ('production', 'development')),
  -- SubjectPublicKeyInfo, DER.
  public_key bytea not null,
  -- Of the last assertion taken; it only rises.
  counter bigint not null default 0,
  created_at timestamptz not null,
  used_at timestamptz not null
);
