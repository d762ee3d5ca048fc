-- What changed in the last minutes, for pages that are open. Rows stand in the order of the transactions that wrote them.
create table verification_changes (
  recorded_in xid8 not null default pg_current_xact_id(),
  scope text not null,
  verification_id text not null,
  at timestamptz not null default now()
);
create index verification_changes_in_order on verification_changes (recorded_in);
create index verification_changes_by_age on verification_changes (at);

create function note_change() returns trigger language plpgsql as $$
begin
  insert into verification_changes (scope, verification_id) values (verification_scope(new.tenant_id, new.livemode), new.id);
  return null;
end
$$;
create trigger verification_changed after insert or update on verifications for each row execute function note_change();
