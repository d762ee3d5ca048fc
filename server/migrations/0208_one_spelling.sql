-- Unicode spells "ö" as one character or as two: a Mac's files and Vietnamese keyboards bring the second. Search compares
-- compatibility forms without case (NFKC), exact filters compare NFC. What the sender wrote stays as it was.
create function search_form(words text) returns text language sql immutable strict parallel safe
  return normalize(lower(normalize(words, nfkc)), nfkc);
create or replace function metadata_pair(key text, value text) returns uuid language sql immutable
  return md5(jsonb_build_array(normalize(key, nfc), normalize(value, nfc))::text)::uuid;
-- Quotes and separators of JSON compose with nothing, so the text may be normalised as a whole.
create function metadata_form(metadata jsonb) returns jsonb language sql immutable strict parallel safe
  return normalize(metadata::text, nfc)::jsonb;

create or replace function index_verification() returns trigger language plpgsql as $$
declare
  in_scope text := verification_scope(new.tenant_id, new.livemode);
  metadata jsonb := coalesce(new.config -> 'metadata', '{}');
  found_words text;
begin
  if tg_op = 'UPDATE' then
    delete from verification_search where verification_id = new.id;
    delete from verification_metadata where verification_id = new.id;
  end if;
  found_words := search_form(concat_ws(chr(31), new.external_ref, new.private -> 'person' ->> 'name',
    (select string_agg(value, chr(31)) from jsonb_each_text(metadata))));
  if found_words <> '' then
    insert into verification_search values (new.id, in_scope, new.created_at, found_words);
  end if;
  -- Two keys that differ in their spelling alone are one pair.
  insert into verification_metadata
    select distinct in_scope, metadata_pair(key, value), new.created_at, new.id from jsonb_each_text(metadata);
  return null;
end
$$;

-- Both tables are read once; only rows in another spelling are written.
update verification_search set words = search_form(words) where words is not nfkc normalized;
create temporary table respelled on commit drop as
  select id from verifications where (config -> 'metadata')::text is not nfc normalized;
delete from verification_metadata m using respelled r where m.verification_id = r.id;
insert into verification_metadata
  select distinct verification_scope(v.tenant_id, v.livemode), metadata_pair(key, value), v.created_at, v.id
  from verifications v join respelled using (id), jsonb_each_text(v.config -> 'metadata');

drop index verifications_by_reference;
create index verifications_by_reference on verifications (tenant_id, livemode, normalize(external_ref, nfc), created_at desc, id desc)
  where external_ref is not null;
