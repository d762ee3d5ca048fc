-- A new window's row comes with its first permits: one write in place of two.
create or replace function take_permits(keys text[], wanted integer[], limits integer[], windows_ms bigint[])
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
  made boolean;
begin
  for i in 1 .. coalesce(cardinality(keys), 0) loop
    made := false;
    loop
      select w.lasts, w.counts into old_lasts, old_counts from rate_windows w where w.key = keys[i] for update;
      exit when found;
      at_ms := floor(extract(epoch from clock_timestamp()) * 1000);
      granted := greatest(0, least(wanted[i], limits[i]));
      insert into rate_windows (key, lasts, counts)
      values (keys[i], case when granted > 0 then array[at_ms] else '{}' end, case when granted > 0 then array[granted] else '{}' end)
      on conflict do nothing returning lasts, counts into new_lasts, new_counts;
      made := found;
      exit when made;
    end loop;
    if made then
      used := granted;
      n := cardinality(new_lasts);
    else
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
