-- A text without three letters or digits in a row holds no trigram, so its search read every row. An index of characters and
-- pairs of characters finds such a text.
create function search_pieces(words text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(distinct piece) from (
    select c, c || coalesce(lead(c) over (order by n), '') as pair from string_to_table(words, null) with ordinality as t (c, n)) chars,
    lateral (values (c), (pair)) pieces (piece)
$$;
create index verification_search_pieces on verification_search using gin (scope, search_pieces(words)) with (gin_pending_list_limit = 512);

-- Up to `most` verifications whose words hold a text in lower case; `pattern` is the text for LIKE. Through one of the two
-- indexes alone, whatever the planner has been told.
drop function search_verifications(text, text, bigint);
create function search_verifications(in_scope text, found text, pattern text, most bigint)
  returns table (verification_id text, created_at timestamptz)
  language sql stable set enable_seqscan = off set enable_indexscan = off
  as $$
    (select s.verification_id, s.created_at from verification_search s
      where found ~ '[[:alnum:]]{3}' and s.scope = in_scope and s.words like pattern limit most)
    union all
    (select s.verification_id, s.created_at from verification_search s
      -- Not LIKE: the index of trigrams, useless here, would take it.
      where found !~ '[[:alnum:]]{3}' and s.scope = in_scope and strpos(s.words, found) > 0
        and search_pieces(s.words) @> (select array_agg(piece) from unnest(search_pieces(found)) piece
          where char_length(piece) = least(2, char_length(found)))
      limit most)
  $$;
