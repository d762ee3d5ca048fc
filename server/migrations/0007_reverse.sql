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

-- Each entry's hash is cut into sixteen slots of 16 bits. Two hashes within 31 bits of each other agree within one bit in at
-- least one slot, so 17 keys a slot find them all. The records of a key lie in one row, or a few if there are many, so a
-- look-up of 272 keys reads 272 rows.
create table reverse_slots (
  -- Scope << 20 | slot << 16 | the slot's 16 bits.
  key bigint not null,
  part integer not null,
  -- Records of 14 bytes: the entry's number (6), the 64 bits of its hash that follow the slot, around the ring (8).
  records bytea not null,
  constraint reverse_slots_pkey primary key (key, part)
) with (fillfactor = 70, toast_tuple_target = 8160);
-- Hashes do not compress. A row stays whole in its page.
alter table reverse_slots alter column records set storage external;
