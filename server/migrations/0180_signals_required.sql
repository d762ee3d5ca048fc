-- The signals of verifications that are created without any; null: the contract's default.
alter table tenants add column signals_required text[];
