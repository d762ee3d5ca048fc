-- People, how they are known, and their sessions.

create table persons (
  id text primary key,
  name text,
  -- Lower case. Where it is null, nobody can sign in by mail.
  email text,
  phone_e164 text,
  -- When the person first proved an address or a number as their own: by a mailed link, a sent code, a provider, or the
  -- operator's word on the command line. Until then another account's owner may have made the person up.
  proven_at timestamptz,
  last_sign_in_at timestamptz,
  -- Where the next session begins.
  last_tenant_id text references tenants (id),
  last_livemode boolean,
  removed_at timestamptz,
  created_at timestamptz not null
);
create unique index persons_by_email on persons (email) where email is not null;
create unique index persons_by_phone on persons (phone_e164) where phone_e164 is not null;

create table person_identities (
  issuer text not null,
  subject text not null,
  person_id text not null references persons (id),
  provider text not null,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index person_identities_by_person on person_identities (person_id);

create table memberships (
  tenant_id text not null references tenants (id),
  person_id text not null references persons (id),
  role text not null check (role in ('viewer', 'reviewer', 'member', 'owner')),
  name text,
  created_at timestamptz not null,
  primary key (tenant_id, person_id)
);
create index memberships_by_person on memberships (person_id);

create table sessions (
  id text primary key,
  person_id text not null references persons (id),
  tenant_id text not null references tenants (id),
  livemode boolean not null,
  method text not null,
  address text not null,
  device text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_by_person on sessions (person_id, created_at desc);
create index sessions_by_expiry on sessions (expires_at);

create table passkeys (
  id text primary key,
  person_id text not null references persons (id),
  name text not null,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_person on passkeys (person_id);

-- Links that sign in once: mailed, answered to an invitation, of the first start. Only a digest is kept.
create table sign_in_tokens (
  digest bytea primary key,
  person_id text not null references persons (id),
  tenant_id text references tenants (id),
  purpose text not null check (purpose in ('magic_link', 'invitation', 'first_run')),
  -- True where the link reached the person by mail or from the operator: redeeming it proves who they are.
  proves boolean not null,
  mail_id text unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_tokens_by_person on sign_in_tokens (person_id, created_at);
create index sign_in_tokens_by_expiry on sign_in_tokens (expires_at);

-- Mails asked for and not yet sent, whether or not the address is known.
create table sign_in_mails (
  id text primary key,
  purpose text not null check (purpose in ('magic_link', 'invitation')),
  email text not null,
  tenant_id text references tenants (id),
  created_at timestamptz not null
);

-- Codes asked for, whether or not the number is known. The code itself is derived from the id and kept nowhere.
create table one_time_codes (
  id text primary key,
  phone_e164 text not null,
  tries integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_codes_by_expiry on one_time_codes (expires_at);

create table passkey_challenges (
  digest bytea primary key,
  -- Whose new passkey it is for; null: for signing in.
  person_id text references persons (id),
  expires_at timestamptz not null
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

-- Sign-ins under way at an identity provider.
create table provider_flows (
  state_digest bytea primary key,
  browser_digest bytea not null,
  provider text not null,
  verifier text not null,
  nonce text not null,
  return_to text not null,
  expires_at timestamptz not null
);
create index provider_flows_by_expiry on provider_flows (expires_at);
