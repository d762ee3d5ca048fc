-- Addresses that were given out for one upload each and that no capture has used yet; what lies there unclaimed is swept.
create table upload_addresses (
  capture_id text primary key,
  verification_id text not null references verifications,
  ends_at timestamptz not null,
  swept_at timestamptz
);
create index upload_addresses_by_verification on upload_addresses (verification_id, ends_at);
create index upload_addresses_by_end on upload_addresses (ends_at);
