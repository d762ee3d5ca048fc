-- Search in lists of verifications, always within one tenant's mode. Both extensions come with PostgreSQL and need no superuser.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- What `q` searches: external_ref, the person's name and every metadata value, in lower case, one after another.
-- A table of its own: `verifications` is updated several times in its life, and each update would write the index again.
create table verification_search (
  verification_id text primary key references verifications on delete cascade,
  -- Tenant and mode.
  scope text not null,
  created_at timestamptz not null,
  words text not null
);
create index verification_search_words on verification_search using gin (scope, words gin_trgm_ops) with (gin_pending_list_limit = 512);
create index verification_search_newest on verification_search (scope, created_at desc, verification_id desc);

-- `metadata[key]=value` in the list's own order. `pair` hashes key and value, which may be longer than an index entry.
create table verification_metadata (
  scope text not null,
  pair uuid not null,
  created_at timestamptz not null,
  verification_id text not null references verifications on delete cascade
);
create unique index verification_metadata_newest on verification_metadata (scope, pair, created_at desc, verification_id desc);
create index verification_metadata_by_verification on verification_metadata (verification_id);
drop index verifications_by_metadata;

create function verification_scope(tenant_id text, livemode boolean) returns text language sql immutable
  return tenant_id || case when livemode then ':live' else ':test' end;
create function metadata_pair(key text, value text) returns uuid language sql immutable
  return md5(jsonb_build_array(key, value)::text)::uuid;

create function index_verification() returns trigger language plpgsql as $$
declare
  in_scope text := verification_scope(new.tenant_id, new.livemode);
  metadata jsonb := coalesce(new.config -> 'metadata', '{}');
  found_words text;
begin
  if tg_op = 'UPDATE' then
    delete from verification_search where verification_id = new.id;
    delete from verification_metadata where verification_id = new.id;
  end if;
  found_words := lower(concat_ws(chr(31), new.external_ref, new.private -> 'person' ->> 'name',
    (select string_agg(value, chr(31)) from jsonb_each_text(metadata))));
  if found_words <> '' then
    insert into verification_search values (new.id, in_scope, new.created_at, found_words);
  end if;
  insert into verification_metadata
    select in_scope, metadata_pair(key, value), new.created_at, new.id from jsonb_each_text(metadata);
  return null;
end
$$;
create trigger verification_indexed after insert on verifications for each row execute function index_verification();
-- An erasure takes words and metadata out of the row, and with them out of the search.
create trigger verification_reindexed after update of config, private, external_ref on verifications for each row
  when (old.config is distinct from new.config or old.private is distinct from new.private or old.external_ref is distinct from new.external_ref)
  execute function index_verification();

-- Up to `most` verifications whose words match. Through the trigram index alone, whatever the planner has been told.
create function search_verifications(in_scope text, pattern text, most bigint)
  returns table (verification_id text, created_at timestamptz)
  language sql stable set enable_seqscan = off set enable_indexscan = off
  as $$ select s.verification_id, s.created_at from verification_search s where s.scope = in_scope and s.words like pattern limit most $$;
-- Those of the `walked` newest verifications after a place whose words match, in the order of the list.
create function search_newest(in_scope text, pattern text, before_at timestamptz, before_id text, walked bigint)
  returns table (verification_id text, created_at timestamptz)
  language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
  as $$
    select n.verification_id, n.created_at from (
      select * from verification_search s where s.scope = in_scope and (s.created_at, s.verification_id) < (before_at, before_id)
      order by s.created_at desc, s.verification_id desc limit walked) n
    where n.words like pattern
  $$;

insert into verification_search
  select id, verification_scope(tenant_id, livemode), created_at, words from (
    select *, lower(concat_ws(chr(31), external_ref, private -> 'person' ->> 'name',
      (select string_agg(value, chr(31)) from jsonb_each_text(config -> 'metadata')))) as words from verifications) v
  where words <> '';
insert into verification_metadata
  select verification_scope(v.tenant_id, v.livemode), metadata_pair(key, value), v.created_at, v.id
  from verifications v, jsonb_each_text(v.config -> 'metadata');

-- The other filters of the list.
create index verifications_by_template on verifications (tenant_id, livemode, (private -> 'template' ->> 'id'), created_at desc, id desc)
  where private ? 'template';
create index verifications_by_brand on verifications (tenant_id, livemode, (private ->> 'brand_slug'), created_at desc, id desc)
  where private ? 'brand_slug';
