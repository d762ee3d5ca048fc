-- A claim is one row for all that a node took at once, and what is claimed leaves the queue: two writes fewer for each delivery, and
-- what was claimed is never read again on the way to what was not.
create table webhook_claims (
  id text primary key,
  node text not null,
  -- When the claim lapses, should the node vanish.
  until timestamptz not null,
  delivery_ids text[] not null
);
create index webhook_claims_until on webhook_claims (until);
-- What a claim needs to know of a delivery, so that it need not read it.
alter table webhook_queue add column event_id text, add column attempts integer not null default 0;
update webhook_queue q set event_id = d.event_id, attempts = jsonb_array_length(d.attempts) - d.earlier_attempts
from webhook_deliveries d where d.id = q.delivery_id;
alter table webhook_queue alter column event_id set not null, drop column claimed_by, drop column claimed_until;
-- Rows come and go and are not updated.
alter table webhook_queue reset (fillfactor);
alter table webhook_endpoints drop column claims_lapse_at;
update webhook_endpoints e set due_at = now() where exists (select from webhook_queue q where q.endpoint_id = e.id);
