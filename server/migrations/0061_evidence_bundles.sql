-- A bundle as it was first issued, so that every download has the same bytes: its small files and the list of all of them,
-- encrypted. Another statement makes another bundle.
create table evidence_bundles (
  verification_id text primary key references verifications (id),
  -- How many statements it holds.
  statements integer not null,
  sealed text not null,
  created_at timestamptz not null
);
