-- A trial is no live verification: its certificate and its bundle say TEST.
update verifications v set livemode = false from tenants t where t.id = v.tenant_id and t.is_trial and v.livemode;
-- Bundles of test verifications are made again, now with TEST in manifest and certificate.
delete from evidence_bundles b using verifications v where v.id = b.verification_id and not v.livemode;
