-- When the service learnt the hashes of the photo and the film that answer a challenge, by its own clock.
alter table challenges
  add column announced_at timestamptz,
  add column image_sha256 text,
  add column trace_sha256 text;
