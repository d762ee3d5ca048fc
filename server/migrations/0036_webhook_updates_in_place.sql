-- Claiming a delivery and noting its outcome are one update each of a row that was just written. Where the new version finds room
-- beside the old one and no indexed column changes, no index is written (a heap-only tuple), which halves what a delivery costs.
alter table webhook_deliveries set (fillfactor = 45);
-- The time a claim lapses is no longer the time the delivery is due, which is indexed.
alter table webhook_queue add column claimed_until timestamptz;
update webhook_queue set claimed_until = run_at where claimed_by is not null;
alter table webhook_queue set (fillfactor = 45);
-- No claim on any delivery of this endpoint outlives this: what a node that vanished held is looked for then.
alter table webhook_endpoints add column claims_lapse_at timestamptz;
update webhook_endpoints e set claims_lapse_at = q.until
from (select endpoint_id, max(claimed_until) as until from webhook_queue where claimed_by is not null group by 1) q
where e.id = q.endpoint_id;
