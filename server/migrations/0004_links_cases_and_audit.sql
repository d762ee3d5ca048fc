-- delivery/notifications: messages with a capture link that wait to be sent. A row goes with the message, so an address is kept no longer.

create table link_messages (
  id text primary key,
  verification_id text not null references verifications (id),
  kind text not null check (kind in ('link', 'reminder')),
  channel text not null check (channel in ('email', 'phone')),
  address text not null,
  locale text not null,
  created_at timestamptz not null
);
create index link_messages_verification on link_messages (verification_id);
create unique index link_messages_reminder on link_messages (verification_id) where kind = 'reminder';

-- identity/tenants: when the public page of a verification says the verdict: always, or once no review is open.

alter table tenants
  add column public_verdict text not null default 'always' check (public_verdict in ('always', 'decided'));

-- verification/verifications: who a case is assigned to, and how often its reviews or its assignee changed.

alter table verifications
  add column review_version integer not null default 0,
  add column review_assigned_to jsonb;
create index verifications_by_assignee on verifications
  (tenant_id, livemode, (review_assigned_to ->> 'person_id'), created_at desc, id desc) where review_assigned_to is not null;

-- desk/reviews: what people of the account write to each other about a case. Nobody else reads it, and it is erased with the case.
create table review_comments (
  id text primary key,
  number bigint generated always as identity,
  verification_id text not null references verifications,
  tenant_id text not null references tenants,
  person_id text not null references persons,
  person_name text not null,
  text text not null,
  -- Ids of people who are told of it by mail.
  mentions text[] not null,
  created_at timestamptz not null
);
create index review_comments_by_verification on review_comments (verification_id, number);

-- identity/audit: the transaction that wrote an entry. Readers who go on from a cursor wait for those that are still open, so an entry
-- that commits late is never behind them. Entries from before come first, in the order of their ids.
alter table audit_log add column recorded_in xid8 not null default '3';
alter table audit_log alter column recorded_in set default pg_current_xact_id();
create index audit_log_in_order on audit_log (tenant_id, recorded_in, id);

-- identity/people: when a person was last here, so that the dashboard says what changed meanwhile.
alter table persons add column last_seen_at timestamptz;
update persons p set last_seen_at = greatest(
  p.last_sign_in_at, (select max(s.last_seen_at) from sessions s where s.person_id = p.id));
-- When the person was here before this session. Null: never.
alter table sessions add column last_visit_at timestamptz;

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

-- The lowest version that runs on the database after the migration.
alter table migrations add column if not exists runs_from text;
