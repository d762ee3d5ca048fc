-- Lists of verifications, newest first, each filter with an index in that very order: a page reads its own rows whatever it asks for.
create index verifications_newest on verifications (tenant_id, livemode, created_at desc, id desc);
create index verifications_by_status on verifications (tenant_id, livemode, status, created_at desc, id desc);
create index verifications_by_verdict on verifications (tenant_id, livemode, (verdict ->> 'label'), created_at desc, id desc)
  where verdict is not null;
create index verifications_by_reference on verifications (tenant_id, livemode, external_ref, created_at desc, id desc)
  where external_ref is not null;
drop index verifications_by_tenant;
drop index verifications_by_external_ref;
