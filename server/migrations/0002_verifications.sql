create table verifications (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  status text not null default 'pending'
    check (status in ('pending', 'partially_captured', 'completed', 'expired', 'failed', 'abandoned')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  -- Fixed at issue: what GET shows as config.
  config jsonb not null,
  -- Fixed at issue, never shown: seal, brand_slug, person, asset_ref, ocr_type, test_outcome, template.
  private jsonb not null default '{}',
  external_ref text,
  captures_count integer not null default 0 check (captures_count between 0 and 20),
  answers jsonb not null default '{}',
  progress jsonb,
  verdict jsonb,
  narrative text,
  finalized_at timestamptz,
  case_analysis jsonb,
  object_match jsonb,
  condition jsonb,
  event_sequence integer not null default 0,
  redacted_at timestamptz,
  -- When object and condition were put to the vision model, and when its answers, or its silence, were recorded.
  checks_started_at timestamptz,
  checks_done_at timestamptz,
  -- SHA-256 over record and answers, taken when the verification ended.
  seal_hash text,
  check (verdict is null or status = 'completed')
);
create index verifications_by_metadata on verifications using gin ((config -> 'metadata') jsonb_path_ops);
create index verifications_due on verifications (expires_at)
  where status in ('pending', 'partially_captured', 'abandoned');

-- Lists are newest first. Each filter has an index in that order, so a page reads only its own rows.
create index verifications_newest on verifications (tenant_id, livemode, created_at desc, id desc);
create index verifications_by_status on verifications (tenant_id, livemode, status, created_at desc, id desc);
create index verifications_by_verdict on verifications (tenant_id, livemode, (verdict ->> 'label'), created_at desc, id desc)
  where verdict is not null;
create index verifications_by_reference on verifications (tenant_id, livemode, external_ref, created_at desc, id desc)
  where external_ref is not null;
