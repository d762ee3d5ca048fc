-- identity/tenants: pictures that show claimants what a photo should look like.

create table example_pictures (
  -- Names the picture in the blob store. The same picture sent again after a deletion has another.
  blob_id text primary key,
  tenant_id text not null references tenants,
  -- Of the stored file, in lowercase hex: steps name it.
  sha256 text not null,
  size_bytes integer not null,
  created_at timestamptz not null,
  -- When a template or a request first named it. Null: it is forgotten after a day.
  used_at timestamptz,
  unique (tenant_id, sha256)
);
create index example_pictures_by_hash on example_pictures (sha256);
create index example_pictures_unused on example_pictures (created_at) where used_at is null;
