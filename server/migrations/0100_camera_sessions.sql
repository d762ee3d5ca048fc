-- What the camera session of a capture asks for, and what was found.

create table challenges (
  id text primary key,
  verification_id text not null references verifications,
  step_key text not null,
  -- left, right, up, down: in this order.
  moves text[] not null,
  issued_at timestamptz not null,
  -- A trace must begin before this. The next challenge for the same step brings it forward.
  expires_at timestamptz not null,
  -- The capture that used it.
  capture_id text
);
create index challenges_by_step on challenges (verification_id, step_key, issued_at);

alter table captures
  -- As the client sent it; the challenge may not exist or belong to another capture.
  add column challenge_id text,
  add column trace_blob text,
  add column trace_sha256 text,
  add column presence jsonb;

alter table tenants
  add column depth_policy text not null default 'lenient' check (depth_policy in ('lenient', 'strict'));
