-- At most one tenant holds what people try out.
create unique index tenants_one_trial on tenants (is_trial) where is_trial;

-- Management acts, each written in the transaction of the act. `detail` holds no secret.
create table audit_log (
  id text primary key,
  tenant_id text not null references tenants,
  actor jsonb not null,
  action text not null,
  target text,
  detail jsonb not null default '{}',
  request_id text,
  created_at timestamptz not null
);
create index audit_log_by_tenant on audit_log (tenant_id, id desc);

create table brands (
  tenant_id text not null references tenants,
  slug text not null,
  -- Counts up: the order of a list.
  number bigint generated always as identity,
  name text not null,
  -- As given, `#rrggbb`; what is worn is made legible when it is read.
  accent text,
  background text,
  -- Names the picture in the blob store and in its public address; a new picture has a new one.
  logo_id text unique,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, slug),
  check (background is null or accent is not null)
);

create table link_templates (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  status text not null default 'active' check (status in ('active', 'revoked')),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index link_templates_by_tenant on link_templates (tenant_id, id desc);

-- A capture spec as it was published; never changed, so that a verification's template version can be read for ever.
create table link_template_versions (
  template_id text not null references link_templates,
  version integer not null,
  name text not null,
  request jsonb not null,
  published_at timestamptz not null,
  primary key (template_id, version)
);

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
