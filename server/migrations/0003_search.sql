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

-- Trigrams of digits stand in a large share of all claim numbers, five digits in a row in few. Numbers are found by these pieces.
drop index verification_search_pieces;
create or replace function search_pieces(words text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(distinct piece) from (
    select unnest(array[c, c || coalesce(lead(c) over (order by n), '')]) as piece
      from string_to_table(words, null) with ordinality as t (c, n)
    union all
    select substr(digits[1], n, 5) from regexp_matches(words, '[0-9]{5,}', 'g') digits, generate_series(1, length(digits[1]) - 4) n
  ) pieces
$$;
create index verification_search_pieces on verification_search using gin (scope, search_pieces(words))
  with (gin_pending_list_limit = 512);

create or replace function search_verifications(in_scope text, found text, pattern text, most bigint)
  returns table (verification_id text, created_at timestamptz)
  language sql stable set enable_seqscan = off set enable_indexscan = off
  as $$
    (select s.verification_id, s.created_at from verification_search s
      where found ~ '[[:alnum:]]{3}' and found !~ '[0-9]{5}' and s.scope = in_scope and s.words like pattern limit most)
    union all
    (select s.verification_id, s.created_at from verification_search s
      -- Not LIKE: the index of trigrams would take it.
      where (found !~ '[[:alnum:]]{3}' or found ~ '[0-9]{5}') and s.scope = in_scope and strpos(s.words, found) > 0
        and search_pieces(s.words) @> (select array_agg(piece) from unnest(search_pieces(found)) piece
          where char_length(piece) = case when found ~ '[0-9]{5}' then 5 else least(2, char_length(found)) end)
      limit most)
  $$;
drop function search_newest;
