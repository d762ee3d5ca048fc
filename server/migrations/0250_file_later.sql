-- Fingerprints of captures are filed in bulk, some thousand at a time. A search compares those that are not filed yet one by one.
alter table reverse_scopes
  -- Pictures of captures up to this number are filed.
  add column filed_to bigint not null default 0,
  -- Until then each picture is filed with its capture: nodes of the previous version search the filed ones alone.
  add column files_later_from timestamptz not null default '-infinity';
update reverse_scopes set filed_to = (select coalesce(max(id), 0) from reverse_pictures), files_later_from = now() + interval '1 day';

-- The pictures of a scope in the order of their commits.
create index reverse_pictures_of_captures on reverse_pictures (scope_id, id) where capture_id is not null;
