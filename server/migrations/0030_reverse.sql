-- Near-duplicate search. A scope is what one search may see together: a tenant's captures of one mode, a tenant's
-- lists (livemode null), or the lists of the whole deployment (both null).
create table reverse_scopes (
  id bigint generated always as identity primary key,
  tenant_id text references tenants,
  livemode boolean,
  unique nulls not distinct (tenant_id, livemode),
  check (tenant_id is not null or livemode is null)
);

create table reverse_lists (
  id bigint generated always as identity primary key,
  scope_id bigint not null references reverse_scopes,
  name text not null,
  created_at timestamptz not null,
  unique (scope_id, name)
);

create table reverse_pictures (
  id bigint generated always as identity primary key,
  scope_id bigint not null references reverse_scopes,
  capture_id text unique references captures,
  verification_id text references verifications,
  list_id bigint references reverse_lists,
  -- What the list calls it.
  label text,
  pdq bit(256) not null,
  quality smallint not null,
  -- 8-bit luma in rows, for the geometric confirmation; null for a hash imported without its picture.
  thumbnail bytea,
  thumbnail_width smallint,
  thumbnail_height smallint,
  created_at timestamptz not null,
  unique (list_id, label),
  check ((capture_id is null) = (list_id is not null))
);

create table reverse_entries (
  id bigint generated always as identity primary key,
  picture_id bigint not null references reverse_pictures on delete cascade,
  hash bit(256) not null,
  -- Left, top, right, bottom of the hashed part and of what a border encloses, in fractions of the sides.
  region real[] not null,
  frame real[] not null
);
create index reverse_entries_by_picture on reverse_entries (picture_id);

-- Sixteen rows an entry: 16 bits of its hash under scope << 20 | slot << 16 | bits. Two hashes within 31 bits agree within
-- one bit in at least one slot, so 17 keys a slot find them all. The index carries the hash: a look-up never visits the table.
create table reverse_slots (
  key bigint not null,
  entry_id bigint not null,
  hash bit(256) not null
);
create index reverse_slots_by_key on reverse_slots (key) include (entry_id, hash);
