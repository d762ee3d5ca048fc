-- When a verification ended: its retention counts from there. `erase_at`: where its link template sets a retention of its own.
alter table verifications add column closed_at timestamptz;
alter table verifications add column erase_at timestamptz;
-- {reason, placed_at}, while one is in place.
alter table verifications add column legal_hold jsonb;
update verifications set closed_at = coalesce(completed_at, least(expires_at, now()))
where status in ('completed', 'expired', 'failed');
create index verifications_retained on verifications (tenant_id, closed_at)
  where closed_at is not null and erase_at is null and redacted_at is null and legal_hold is null;
create index verifications_to_erase on verifications (erase_at)
  where erase_at is not null and redacted_at is null and legal_hold is null;
-- All that is kept about one person is found by these.
create index verifications_by_email on verifications (tenant_id, lower(private #>> '{person,email}'))
  where private #>> '{person,email}' is not null;
create index verifications_by_phone on verifications (tenant_id, (private #>> '{person,phone_e164}'))
  where private #>> '{person,phone_e164}' is not null;

alter table link_template_versions add column retention_days integer check (retention_days > 0);

-- One row for each redacted verification.
create table erasures (
  verification_id text primary key references verifications (id),
  redacted_at timestamptz not null,
  -- The signed receipt as it was first given: canonical JSON.
  receipt text not null,
  -- The blob store has the receipt.
  receipt_kept boolean not null,
  -- When the objects of the blob store are to be deleted; null once nobody can write another.
  due_at timestamptz,
  deleted_at timestamptz
);
create index erasures_due on erasures (due_at) where due_at is not null;

-- Objects of the blob store whose receipts this database knows. Another one shows that an earlier state was restored.
create table erasure_segments (
  key text primary key,
  known_since timestamptz not null
);

-- A key is the caller's own text and may name somebody, so its SHA-256 stands for it.
alter table idempotency_keys add column verification_id text;
update idempotency_keys set key = encode(sha256(convert_to(key, 'UTF8')), 'hex'),
  verification_id = substring(body from 'vfy_[0-9A-HJKMNP-TV-Z]{26}');
create index idempotency_keys_by_verification on idempotency_keys (verification_id) where verification_id is not null;
