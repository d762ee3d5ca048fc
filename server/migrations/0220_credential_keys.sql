-- Keys and certificates that this installation made for the Content Credentials of its photos. Keys of the settings are not here.
create table credential_keys (
  id bigint generated always as identity primary key,
  -- PEM, the signing certificate first.
  certificate text not null,
  -- PKCS #8 in PEM, encrypted. Null once retired.
  sealed text,
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index credential_keys_current on credential_keys ((true)) where retired_at is null;
