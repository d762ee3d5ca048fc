-- What a publishable key may do; null: everything that a publishable key may.
alter table api_keys add scopes text[];
-- Where the events of an erasure go: the verification's own address has been erased by then.
alter table events add endpoint_id text;
-- The person of the account whose browser sent the photo. That person does not review it.
alter table captures add sent_by text;
-- Why an act stopped before its end.
alter table bulk_acts add stopped text check (stopped in ('not_allowed'));
alter table batches add stopped text check (stopped in ('not_allowed'));
-- Who ordered a batch: it ends when they lose the right to.
alter table batches add actor jsonb not null default '{"kind": "system"}';
-- Rows that were made need the request of their batch no longer.
update batches set request = '{}' where state in ('completed', 'cancelled');
-- The verification that alone uses an address: the address goes with its erasure, once `forget` is set and nothing waits to be sent.
alter table webhook_endpoints add only_for text, add forget boolean not null default false;
create index webhook_endpoints_only_for on webhook_endpoints (only_for) where only_for is not null;
create index webhook_endpoints_forget on webhook_endpoints (id) where forget;
