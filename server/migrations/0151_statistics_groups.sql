-- Durations are shown of all verifications, never of a group. They made a group's row ten times as long.
update statistics set counts = (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(counts) where key not like 'to\_%')
where grouping <> '';
