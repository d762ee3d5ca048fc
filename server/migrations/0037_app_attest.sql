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
