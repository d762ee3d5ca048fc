-- The note of a change says what statistics have to count of it: one row for both. docs/decisions/0014-statistics.md says how it is read.
alter table verification_changes add column counted jsonb;

create table statistics_position (
  only_one boolean primary key default true check (only_one),
  -- `statistics` hold what transactions before this one changed. What this one and later ones changed stands in `verification_changes`.
  upto xid8 not null,
  -- Until then counts go through `statistics_changes`: nodes of the previous version read those alone, and forget a note by its age alone.
  merged_from timestamptz not null
);
insert into statistics_position (upto, merged_from) select pg_snapshot_xmin(pg_current_snapshot()),
  case when exists (select from tenants) then now() + interval '1 day' else '-infinity' end;

create function statistics_delta(v verifications, was_private jsonb, sign integer) returns jsonb language sql stable
  return jsonb_strip_nulls(jsonb_build_object('hour', date_trunc('hour', v.created_at, 'UTC'), 'verdict', v.verdict ->> 'label',
    'reason', v.verdict ->> 'reason_code', 'template', was_private -> 'template' ->> 'id', 'brand', was_private ->> 'brand_slug',
    'sign', sign, 'measures', to_jsonb(statistics_of(v))));

create or replace function note_change() returns trigger language plpgsql as $$
declare
  deltas jsonb;
begin
  if tg_op = 'INSERT' then
    deltas := jsonb_build_array(statistics_delta(new, new.private, 1));
  -- An erased verification keeps counting as what it was.
  elsif old.redacted_at is null and (
    old.status is distinct from new.status or old.verdict is distinct from new.verdict or old.completed_at is distinct from new.completed_at
    or old.furthest is distinct from new.furthest or old.first_captured_at is distinct from new.first_captured_at
    or old.review_state is distinct from new.review_state or old.review_decision is distinct from new.review_decision
    or old.review_decided_at is distinct from new.review_decided_at) then
    deltas := jsonb_build_array(statistics_delta(old, old.private, -1), statistics_delta(new, old.private, 1));
  end if;
  if deltas is not null and (select merged_from > now() from statistics_position) then
    insert into statistics_changes (tenant_id, livemode, hour, verdict, reason, template, brand, sign, measures)
    select new.tenant_id, new.livemode, d.*
    from jsonb_to_recordset(deltas) as d (hour timestamptz, verdict text, reason text, template text, brand text, sign smallint, measures text[]);
    deltas := null;
  end if;
  insert into verification_changes (scope, verification_id, counted)
  values (verification_scope(new.tenant_id, new.livemode), new.id, deltas);
  return null;
end
$$;
drop trigger verification_counted on verifications;
drop trigger verification_recounted on verifications;
drop function count_verification();
drop function note_statistics(verifications, jsonb, integer);
