-- Answers kept for requests that are sent again.
create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  locked_until timestamptz,
  status integer,
  body text,
  primary key (scope, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- The messaging bot's signed requests that took effect, for as long as their timestamp would let them in again.
create table bot_signatures (
  -- SHA-256 of the signature.
  digest bytea primary key,
  -- SHA-256 of the Idempotency-Key that came with it.
  idempotency_key bytea,
  seen_at timestamptz not null
);
create index bot_signatures_by_age on bot_signatures (seen_at);

-- Permits given out in sliding windows, shared by all nodes. Unlogged: after a crash the windows start anew.
create unlogged table rate_windows (
  key text primary key,
  -- Each slot: when its last permit was given (milliseconds of the epoch), and how many were.
  lasts bigint[] not null default '{}',
  counts integer[] not null default '{}',
  touched_at timestamptz not null default now()
) with (fillfactor = 50);

/*
 * Gives out permits: for each key up to `wanted`, never more than `limits` within any `windows_ms`. Callers pass keys in
 * ascending order, so that two calls cannot wait for each other in a circle. `wait_ms`: when the next permit is free, null
 * when one is. `reset_ms`: when the oldest permit counted leaves the window.
 */
create function take_permits(keys text[], wanted integer[], limits integer[], windows_ms bigint[])
returns table (granted integer, remaining integer, wait_ms bigint, reset_ms bigint)
language plpgsql as $$
declare
  old_lasts bigint[];
  old_counts integer[];
  new_lasts bigint[];
  new_counts integer[];
  used integer;
  left_over integer;
  slot_ms bigint;
  at_ms bigint;
  n integer;
begin
  for i in 1 .. coalesce(cardinality(keys), 0) loop
    loop
      select w.lasts, w.counts into old_lasts, old_counts from rate_windows w where w.key = keys[i] for update;
      exit when found;
      insert into rate_windows (key) values (keys[i]) on conflict do nothing;
    end loop;
    -- The clock is read under the row's lock: what one transaction writes is never in the next one's future.
    at_ms := floor(extract(epoch from clock_timestamp()) * 1000);
    slot_ms := greatest(1, windows_ms[i] / 120);
    new_lasts := '{}';
    new_counts := '{}';
    used := 0;
    for j in 1 .. coalesce(cardinality(old_lasts), 0) loop
      continue when old_lasts[j] <= at_ms - windows_ms[i];
      new_lasts := new_lasts || old_lasts[j];
      new_counts := new_counts || old_counts[j];
      used := used + old_counts[j];
    end loop;
    granted := greatest(0, least(wanted[i], limits[i] - used));
    n := coalesce(cardinality(new_lasts), 0);
    if granted > 0 then
      if n > 0 and new_lasts[n] / slot_ms = at_ms / slot_ms then
        new_lasts[n] := at_ms;
        new_counts[n] := new_counts[n] + granted;
      else
        new_lasts := new_lasts || at_ms;
        new_counts := new_counts || granted;
        n := n + 1;
      end if;
      used := used + granted;
      update rate_windows w set lasts = new_lasts, counts = new_counts, touched_at = now() where w.key = keys[i];
    end if;
    remaining := greatest(0, limits[i] - used);
    reset_ms := case when n > 0 then new_lasts[1] + windows_ms[i] - at_ms else 0 end;
    wait_ms := null;
    if remaining = 0 then
      left_over := used;
      for j in 1 .. n loop
        left_over := left_over - new_counts[j];
        wait_ms := new_lasts[j] + windows_ms[i] - at_ms;
        exit when left_over < limits[i];
      end loop;
    end if;
    return next;
  end loop;
end
$$;
