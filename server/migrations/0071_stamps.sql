-- Time stamps of the published log, one an hour.
create table evidence_stamps (
  log_id integer not null references evidence_logs (id),
  hour timestamptz not null,
  -- The note as the log signed it, and the authority's answer; null while a node asks for it.
  note text not null,
  response bytea,
  asked_at timestamptz not null,
  primary key (log_id, hour)
);
