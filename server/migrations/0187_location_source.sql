-- Who sent the position, as far as the request shows: app, page or program. Null without a position, and for captures of before.
alter table captures add column location_source text;
