-- Each of these says again what the row it hangs on says already (the event names the verification, the endpoint the tenant, the
-- delivery the endpoint), and each is a look-up for every row of the busiest tables.
alter table webhook_deliveries drop constraint webhook_deliveries_tenant_id_fkey;
alter table webhook_deliveries drop constraint webhook_deliveries_verification_id_fkey;
alter table webhook_queue drop constraint webhook_queue_endpoint_id_fkey;
-- A note of an event that is gone is taken and leads to nothing.
alter table event_outbox drop constraint event_outbox_event_id_fkey;

-- When a delivery ended without being accepted. An index that held the status itself would be written with every success;
-- this one is not, and a success then changes no index at all.
alter table webhook_deliveries add column failed_at timestamptz;
update webhook_deliveries set failed_at = created_at where status in ('failed', 'cancelled');
drop index webhook_deliveries_unfinished;
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, id desc) where failed_at is not null;
alter table webhook_deliveries set (fillfactor = 80);
