-- By which a film is known again, under any account's link: how the picture shifted and turned from frame to frame.
create table film_prints (
  film bigint generated always as identity primary key,
  -- A deleted capture takes its print along, whichever version of the service deletes it.
  capture_id text not null unique references captures on delete cascade,
  tenant_id text not null,
  livemode boolean not null,
  -- 6 bytes for each step between frames; see forensics/src/presence/film-print.ts.
  print bytea not null,
  -- The keys under which it is filed.
  keys int[] not null,
  -- Whether the film had come before. The first answer stays, so that a second analysis of the capture repeats it.
  came_before boolean not null
);

-- Some hundred keys for each film: films that share one are compared.
create table film_keys (
  key int not null,
  film bigint not null,
  primary key (key, film)
);

create function forget_film_keys() returns trigger language plpgsql as $$
begin
  delete from film_keys where key = any(old.keys) and film = old.film;
  return null;
end $$;
create trigger film_prints_forget after delete on film_prints for each row execute function forget_film_keys();
