-- identity/audit: the transaction that wrote an entry. Readers who go on from a cursor wait for those that are still open, so an entry
-- that commits late is never behind them. Entries from before come first, in the order of their ids.
alter table audit_log add column recorded_in xid8 not null default '3';
alter table audit_log alter column recorded_in set default pg_current_xact_id();
create index audit_log_in_order on audit_log (tenant_id, recorded_in, id);
