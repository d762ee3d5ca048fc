-- Which workers are alive: a job locked by a worker that is not is handed to another at once.
create table worker_nodes (
  worker_id text primary key,
  seen_at timestamptz not null
);

-- Places by their address, as the geocoder answered.
create table geocodes (
  query text primary key,
  latitude double precision,
  longitude double precision,
  answered_at timestamptz not null
);
