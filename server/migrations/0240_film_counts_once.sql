-- A film counts for one photo of an account. The hash covers its pictures: the header names the challenge, and whoever sends a film again
-- writes another.
alter table captures add column film_sha256 text;
create index captures_by_film on captures (tenant_id, film_sha256) where film_sha256 is not null;
