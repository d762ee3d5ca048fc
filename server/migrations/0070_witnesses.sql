-- When the published state was signed: a bundle waits a moment for the cosignatures of witnesses.
alter table evidence_logs add column checkpoint_at timestamptz;
-- One node at a time asks the witnesses, for as long as it says.
alter table evidence_logs add column cosigning_until timestamptz;

-- How far each witness has followed our log, with its cosignature of that state.
create table evidence_witnesses (
  log_id integer not null references evidence_logs (id),
  vkey text not null,
  size bigint not null,
  -- The signature line, without its newline; null while the size is only what the witness told.
  line text,
  -- Null after an answer.
  failed_at timestamptz,
  primary key (log_id, vkey)
);

-- The logs of others that this installation has cosigned, and the last state of each.
create table witnessed_logs (
  origin text primary key,
  size bigint not null,
  root bytea not null,
  note text not null,
  cosigned_at timestamptz not null
);

-- The key with which this installation cosigns.
create table witness_keys (
  name text primary key,
  only_one boolean not null default true unique check (only_one),
  public_key bytea not null,
  -- The 32-byte seed in base64, encrypted.
  sealed text not null,
  created_at timestamptz not null
);
