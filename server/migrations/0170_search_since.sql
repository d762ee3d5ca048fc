-- Those of the `walked` newest verifications after a place and since a time whose words match, in the order of the list. Nodes
-- of the release before give no `since`.
drop function search_newest(text, text, timestamptz, text, bigint);
create function search_newest(in_scope text, pattern text, before_at timestamptz, before_id text, walked bigint, since timestamptz default '-infinity')
  returns table (verification_id text, created_at timestamptz)
  language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
  as $$
    select n.verification_id, n.created_at from (
      select * from verification_search s where s.scope = in_scope and (s.created_at, s.verification_id) < (before_at, before_id)
        and s.created_at > since
      order by s.created_at desc, s.verification_id desc limit walked) n
    where n.words like pattern
  $$;
