-- The log. A row for each epoch; the last is the one that grows. Whoever sequences holds this row.
create table evidence_logs (
  id integer primary key,
  -- Its name for others: the first line of its checkpoints.
  origin text not null unique,
  -- Entries with an index.
  size bigint not null default 0,
  -- The signed note over the last published size, -1 before the first.
  checkpoint text,
  checkpoint_size bigint not null default -1,
  -- One publisher at a time, for as long as it says.
  publishing_until timestamptz,
  created_at timestamptz not null
);

create table evidence_keys (
  -- RFC 7638 thumbprint.
  kid text primary key,
  log_id integer not null references evidence_logs (id),
  role text not null check (role in ('log', 'bundle')),
  public_key bytea not null,
  -- The 32-byte seed in base64, encrypted. Null once retired.
  sealed text,
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index evidence_keys_current on evidence_keys (log_id, role) where retired_at is null;

-- Tiles of c2sp.org/tlog-tiles, the last one of a level partial. Level -1: the entries, each after its length.
create table evidence_tiles (
  log_id integer not null references evidence_logs (id),
  level smallint not null,
  index bigint not null,
  bytes bytea not null,
  primary key (log_id, level, index)
);
-- Hashes do not compress.
alter table evidence_tiles alter column bytes set storage external;

create table evidence_statements (
  id bigint generated always as identity primary key,
  verification_id text not null references verifications (id),
  seq integer not null,
  type text not null,
  -- {statement, salt}, encrypted. An erasure deletes the row.
  sealed text not null,
  commitment bytea not null,
  -- Its entry, once it has one.
  log_id integer references evidence_logs (id),
  leaf_index bigint,
  created_at timestamptz not null,
  unique (verification_id, seq)
);

-- Commitments without an index. Rows are deleted as they get one, so one that commits late is never passed over.
create table evidence_pending (
  id bigint generated always as identity primary key,
  verification_id text not null,
  seq integer not null,
  commitment bytea not null
);

-- A bundle as it was first issued, so that every download has the same bytes: its small files and the list of all of them,
-- encrypted. Another statement makes another bundle.
create table evidence_bundles (
  verification_id text primary key references verifications (id),
  -- How many statements it holds.
  statements integer not null,
  sealed text not null,
  created_at timestamptz not null
);
