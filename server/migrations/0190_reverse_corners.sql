-- Corners of a picture, and the words that find it by them. They stand in the picture's own row: a photo costs no further row. The pending
-- list of the index gathers the words of some hundred pictures before it files them.
alter table reverse_pictures add column corners bytea, add column words integer[];
create index reverse_pictures_by_word on reverse_pictures using gin (words)
  with (fastupdate = on, gin_pending_list_limit = 512) where words is not null;
