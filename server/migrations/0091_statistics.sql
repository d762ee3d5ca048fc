-- Counts of verifications by the hour and the day of their creation. docs/decisions/0014-statistics.md says why triggers keep them.

alter table verifications
  add column furthest smallint,
  add column first_captured_at timestamptz;

-- How far a step of the capture page is. A camera that stays blocked ends between ready and capturing.
create function funnel_rank(step text) returns smallint language sql immutable
  return array_position(array['landing', 'ready', 'camera_blocked', 'capturing', 'reviewing', 'uploading', 'success'], step)::smallint;

-- Whole seconds below 64; above, 32 bins to each doubling.
create function duration_bin(since timestamptz, until timestamptz) returns integer language plpgsql immutable strict as $$
declare
  seconds integer := least(greatest(floor(extract(epoch from until - since)), 0), 2147483647)::integer;
  octave integer := 0;
begin
  while seconds >= 64 loop
    seconds := seconds / 2;
    octave := octave + 1;
  end loop;
  return octave * 32 + seconds;
end
$$;

update verifications v set furthest = funnel_rank(v.progress ->> 'step'),
  first_captured_at = (select min(c.created_at) from captures c where c.verification_id = v.id)
where v.progress is not null or v.captures_count > 0;

-- Everything that a verification counts as, once each.
create function statistics_of(v verifications) returns text[] language sql stable
  return array_remove(array[
    'created',
    case when v.status in ('completed', 'expired', 'failed') then v.status end,
    case when v.verdict ->> 'label' in ('verified', 'suspicious') then v.verdict ->> 'label' end,
    case when v.verdict ->> 'label' = 'failed' then 'rejected:' || (v.verdict ->> 'reason_code') end,
    case when v.review_state = 'decided' then 'reviewed' end,
    case when v.review_state = 'decided' and (
      (v.verdict ->> 'label' = 'verified' and v.review_decision = 'rejected')
      or (v.verdict ->> 'label' in ('suspicious', 'failed') and v.review_decision = 'approved')) then 'overridden' end,
    'step:' || v.furthest,
    'to_capture:' || duration_bin(v.created_at, v.first_captured_at),
    'to_verdict:' || duration_bin(v.created_at, v.completed_at),
    case when v.review_state = 'decided' then 'to_review:' || duration_bin(v.review_opened_at, v.review_decided_at) end
  ]::text[], null);

-- What has not been added to `statistics` yet. Inserts only: transactions of one tenant never wait for each other here.
create table statistics_changes (
  id bigint generated always as identity primary key,
  tenant_id text not null,
  livemode boolean not null,
  hour timestamptz not null,
  verdict text,
  reason text,
  template text,
  brand text,
  -- 1 or -1.
  sign smallint not null,
  measures text[] not null
);

create table statistics (
  tenant_id text not null references tenants,
  livemode boolean not null,
  grain text not null check (grain in ('hour', 'day')),
  -- '' counts all; 'verdict', 'reason', 'template' and 'brand' those with one `key`.
  grouping text not null,
  start timestamptz not null,
  key text not null,
  counts jsonb not null,
  primary key (tenant_id, livemode, grain, grouping, start, key)
);

create function note_furthest() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    new.furthest := greatest(old.furthest, funnel_rank(new.progress ->> 'step'));
    if new.captures_count > 0 and old.first_captured_at is null then
      new.first_captured_at := (select min(created_at) from captures where verification_id = new.id);
    end if;
  end if;
  return new;
end
$$;
create trigger verification_furthest before update of progress, captures_count on verifications
  for each row execute function note_furthest();

create function note_statistics(v verifications, was_private jsonb, sign integer) returns void language sql as $$
  insert into statistics_changes (tenant_id, livemode, hour, verdict, reason, template, brand, sign, measures)
  values (v.tenant_id, v.livemode, date_trunc('hour', v.created_at, 'UTC'), v.verdict ->> 'label', v.verdict ->> 'reason_code',
    was_private -> 'template' ->> 'id', was_private ->> 'brand_slug', sign, statistics_of(v))
$$;

create function count_verification() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    -- An erased verification keeps counting as what it was.
    if old.redacted_at is not null then
      return null;
    end if;
    perform note_statistics(old, old.private, -1);
    perform note_statistics(new, old.private, 1);
  else
    perform note_statistics(new, new.private, 1);
  end if;
  return null;
end
$$;
create trigger verification_counted after insert on verifications for each row execute function count_verification();
create trigger verification_recounted after update on verifications for each row
  when (old.status is distinct from new.status or old.verdict is distinct from new.verdict or old.completed_at is distinct from new.completed_at
    or old.furthest is distinct from new.furthest or old.first_captured_at is distinct from new.first_captured_at
    or old.review_state is distinct from new.review_state or old.review_decision is distinct from new.review_decision
    or old.review_decided_at is distinct from new.review_decided_at)
  execute function count_verification();

-- The past, by the same rule.
do $$ declare v verifications; begin
  for v in select * from verifications loop
    perform note_statistics(v, v.private, 1);
  end loop;
end $$;
