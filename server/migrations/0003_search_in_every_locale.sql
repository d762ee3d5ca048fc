-- Search finds the same under every locale of the database. `lower` by the database's own locale makes a dotless "ı" of "I" in Turkish, and
-- leaves "Ä" as it is under C. PostgreSQL 17 brings pg_c_utf8; earlier ones take the root locale of ICU. Both differ in two
-- letters, so these are made equal: "İ" is an "i", and a final "ς" is a "σ".
do $do$
begin
  execute format(
    $$create or replace function search_form(words text) returns text language sql immutable strict parallel safe
        return normalize(translate(replace(lower(normalize(words, nfkc) collate %s), U&'i\0307', 'i'), 'ς', 'σ'), nfkc)$$,
    coalesce(
      (select quote_ident(collname) from pg_collation where collname in ('pg_c_utf8', 'und-x-icu') order by collname limit 1),
      '"default"'
    )
  );
end
$do$;

update verification_search s set words = f.words
  from (
    select v.id, search_form(concat_ws(chr(31), v.external_ref, v.private -> 'person' ->> 'name',
      (select string_agg(value, chr(31)) from jsonb_each_text(coalesce(v.config -> 'metadata', '{}'))))) as words
    from verifications v
  ) f
  where f.id = s.verification_id and s.words <> f.words;
