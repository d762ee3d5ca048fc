-- A look-up among ten million entries compares some 170 hashes whole. In the index they lie closer together than in the table.
create unique index reverse_entries_with_hash on reverse_entries (id) include (hash);
alter table reverse_entries drop constraint reverse_entries_pkey;
alter table reverse_entries add constraint reverse_entries_pkey primary key using index reverse_entries_with_hash;
-- Only pages that a vacuum has seen are read from the index alone.
alter table reverse_entries set (autovacuum_vacuum_insert_scale_factor = 0.02);
