-- identity/people: when a person was last here, so that the dashboard says what changed meanwhile.
alter table persons add column last_seen_at timestamptz;
update persons p set last_seen_at = greatest(
  p.last_sign_in_at, (select max(s.last_seen_at) from sessions s where s.person_id = p.id));
-- When the person was here before this session. Null: never.
alter table sessions add column last_visit_at timestamptz;
