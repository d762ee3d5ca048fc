-- Names the JPEG of all pixels of a picture in a format that most browsers cannot show.
alter table captures add column display_blob text;
