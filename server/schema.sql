-- The public schema after every migration. Written by scripts/dump-schema.ts; do not edit.

create table analysis_clock (
  id boolean default true not null,
  turn bigint not null,
  constraint analysis_clock_pkey PRIMARY KEY (id),
  constraint analysis_clock_id_check CHECK (id)
);

create table analysis_lanes (
  tenant_id text not null,
  livemode boolean not null,
  class smallint not null,
  cost smallint not null,
  next_turn bigint not null,
  constraint analysis_lanes_pkey PRIMARY KEY (tenant_id, livemode),
  constraint analysis_lanes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table api_keys (
  id text not null,
  tenant_id text not null,
  name text not null,
  kind text not null,
  livemode boolean,
  hash bytea not null,
  prefix text not null,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  scopes text[],
  template_id text,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_template_id_fkey FOREIGN KEY (template_id) REFERENCES link_templates(id),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint api_keys_check CHECK (((kind = 'secret'::text) = (livemode IS NULL))),
  constraint api_keys_kind_check CHECK ((kind = ANY (ARRAY['publishable'::text, 'secret'::text])))
);
CREATE INDEX api_keys_by_tenant ON public.api_keys USING btree (tenant_id, id DESC);

create table app_attest_keys (
  key_id text not null,
  app_id text not null,
  environment text not null,
  public_key bytea not null,
  counter bigint default 0 not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone not null,
  constraint app_attest_keys_pkey PRIMARY KEY (key_id),
  constraint app_attest_keys_environment_check CHECK ((environment = ANY (ARRAY['production'::text, 'development'::text])))
);

create table audit_log (
  id text not null,
  tenant_id text not null,
  actor jsonb not null,
  action text not null,
  target text,
  detail jsonb default '{}'::jsonb not null,
  request_id text,
  created_at timestamp with time zone not null,
  address text,
  device text,
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX audit_log_by_tenant ON public.audit_log USING btree (tenant_id, id DESC);

create table batch_rows (
  batch_id text not null,
  "row" integer not null,
  content jsonb,
  verification_id text,
  error text,
  constraint batch_rows_pkey PRIMARY KEY (batch_id, "row"),
  constraint batch_rows_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES batches(id),
  constraint batch_rows_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id)
);
CREATE INDEX batch_rows_by_verification ON public.batch_rows USING btree (verification_id) WHERE (verification_id IS NOT NULL);
CREATE INDEX batch_rows_waiting ON public.batch_rows USING btree (batch_id, "row") WHERE (content IS NOT NULL);

create table batches (
  id text not null,
  tenant_id text not null,
  livemode boolean not null,
  state text default 'queued'::text not null,
  request jsonb not null,
  template jsonb,
  send boolean not null,
  total integer not null,
  created integer default 0 not null,
  failed integer default 0 not null,
  mailed integer default 0 not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  stopped text,
  actor jsonb default '{"kind": "system"}'::jsonb not null,
  constraint batches_pkey PRIMARY KEY (id),
  constraint batches_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint batches_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'cancelled'::text]))),
  constraint batches_stopped_check CHECK ((stopped = 'not_allowed'::text))
);
CREATE INDEX batches_by_tenant ON public.batches USING btree (tenant_id, id DESC);

create table bot_signatures (
  digest bytea not null,
  idempotency_key bytea,
  seen_at timestamp with time zone not null,
  constraint bot_signatures_pkey PRIMARY KEY (digest)
);
CREATE INDEX bot_signatures_by_age ON public.bot_signatures USING btree (seen_at);

create table brands (
  tenant_id text not null,
  slug text not null,
  number bigint generated always as identity not null,
  name text not null,
  accent text,
  background text,
  logo_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  allowed_origins text[] default '{}'::text[] not null,
  return_url text,
  constraint brands_pkey PRIMARY KEY (tenant_id, slug),
  constraint brands_logo_id_key UNIQUE (logo_id),
  constraint brands_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint brands_check CHECK (((background IS NULL) OR (accent IS NOT NULL)))
);

create table bulk_act_items (
  bulk_act_id text not null,
  number integer not null,
  verification_id text not null,
  state text default 'waiting'::text not null,
  error text,
  created_id text,
  constraint bulk_act_items_pkey PRIMARY KEY (bulk_act_id, number),
  constraint bulk_act_items_bulk_act_id_fkey FOREIGN KEY (bulk_act_id) REFERENCES bulk_acts(id),
  constraint bulk_act_items_created_id_fkey FOREIGN KEY (created_id) REFERENCES verifications(id),
  constraint bulk_act_items_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id),
  constraint bulk_act_items_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text])))
);
CREATE INDEX bulk_act_items_waiting ON public.bulk_act_items USING btree (bulk_act_id, number) WHERE (state = 'waiting'::text);

create table bulk_acts (
  id text not null,
  tenant_id text not null,
  modes boolean[] not null,
  act text not null,
  options jsonb not null,
  activity jsonb not null,
  state text default 'queued'::text not null,
  filter jsonb,
  collected_to jsonb,
  total integer default 0 not null,
  done integer default 0 not null,
  failed integer default 0 not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  stopped text,
  constraint bulk_acts_pkey PRIMARY KEY (id),
  constraint bulk_acts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint bulk_acts_act_check CHECK ((act = ANY (ARRAY['cancel'::text, 'resend'::text, 'reissue'::text, 'review'::text, 'redact'::text]))),
  constraint bulk_acts_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'collecting'::text, 'running'::text, 'completed'::text, 'cancelled'::text]))),
  constraint bulk_acts_stopped_check CHECK ((stopped = 'not_allowed'::text))
);
CREATE INDEX bulk_acts_by_tenant ON public.bulk_acts USING btree (tenant_id, id DESC);

create table captures (
  id text not null,
  verification_id text not null,
  tenant_id text not null,
  step_key text not null,
  source text not null,
  surface text,
  content_type text not null,
  size_bytes integer not null,
  width integer not null,
  height integer not null,
  sha256 text not null,
  image_blob text not null,
  preview_blob text,
  motion_blob text,
  created_at timestamp with time zone not null,
  client_captured_at timestamp with time zone,
  idempotency_key text,
  location jsonb,
  attestation jsonb,
  location_match jsonb,
  signals jsonb,
  metadata jsonb,
  text jsonb,
  analysis_state text default 'pending'::text not null,
  analysis_error text,
  analyzed_at timestamp with time zone,
  context jsonb,
  analysis_turn bigint default 0 not null,
  analysis_class smallint default 0 not null,
  analysis_attempts smallint default 0 not null,
  analysis_due_at timestamp with time zone default now() not null,
  challenge_id text,
  trace_blob text,
  trace_sha256 text,
  presence jsonb,
  display_blob text,
  traceparent text,
  location_source text,
  sent_by text,
  film_sha256 text,
  attestation_proof bytea,
  constraint captures_pkey PRIMARY KEY (id),
  constraint captures_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint captures_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id),
  constraint captures_analysis_state_check CHECK ((analysis_state = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text]))),
  constraint captures_source_check CHECK ((source = ANY (ARRAY['live'::text, 'upload'::text])))
);
CREATE INDEX captures_by_film ON public.captures USING btree (tenant_id, film_sha256) WHERE (film_sha256 IS NOT NULL);
CREATE INDEX captures_by_hash ON public.captures USING btree (tenant_id, sha256);
CREATE UNIQUE INDEX captures_by_idempotency_key ON public.captures USING btree (verification_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX captures_by_verification ON public.captures USING btree (verification_id, id);
CREATE INDEX captures_to_analyse ON public.captures USING btree (analysis_turn, analysis_class, id) WHERE (analysis_state = 'pending'::text);

create table challenges (
  id text not null,
  verification_id text not null,
  step_key text not null,
  moves text[] not null,
  issued_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  capture_id text,
  announced_at timestamp with time zone,
  image_sha256 text,
  trace_sha256 text,
  constraint challenges_pkey PRIMARY KEY (id),
  constraint challenges_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id)
);
CREATE INDEX challenges_by_step ON public.challenges USING btree (verification_id, step_key, issued_at);

create table chat_webhooks (
  tenant_id text not null,
  sealed text not null,
  host text not null,
  updated_at timestamp with time zone not null,
  constraint chat_webhooks_pkey PRIMARY KEY (tenant_id),
  constraint chat_webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table credential_keys (
  id bigint generated always as identity not null,
  certificate text not null,
  sealed text,
  created_at timestamp with time zone not null,
  retired_at timestamp with time zone,
  constraint credential_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX credential_keys_current ON public.credential_keys USING btree ((true)) WHERE (retired_at IS NULL);

create table erasure_segments (
  key text not null,
  known_since timestamp with time zone not null,
  constraint erasure_segments_pkey PRIMARY KEY (key)
);

create table erasures (
  verification_id text not null,
  redacted_at timestamp with time zone not null,
  receipt text not null,
  receipt_kept boolean not null,
  due_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint erasures_pkey PRIMARY KEY (verification_id),
  constraint erasures_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id)
);
CREATE INDEX erasures_due ON public.erasures USING btree (due_at) WHERE (due_at IS NOT NULL);

create table event_outbox (
  event_id text not null,
  constraint event_outbox_pkey PRIMARY KEY (event_id)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

create table events (
  id text not null,
  tenant_id text not null,
  livemode boolean not null,
  verification_id text,
  type text not null,
  public_type text,
  sequence integer,
  body text,
  created_at timestamp with time zone not null,
  recorded_in xid8 default pg_current_xact_id() not null,
  traceparent text,
  endpoint_id text,
  constraint events_pkey PRIMARY KEY (id),
  constraint events_verification_id_sequence_key UNIQUE (verification_id, sequence),
  constraint events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint events_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id)
);
CREATE INDEX events_as_stream ON public.events USING btree (tenant_id, recorded_in, id);

create table evidence_bundles (
  verification_id text not null,
  statements integer not null,
  sealed text not null,
  created_at timestamp with time zone not null,
  constraint evidence_bundles_pkey PRIMARY KEY (verification_id),
  constraint evidence_bundles_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id)
);

create table evidence_keys (
  kid text not null,
  log_id integer not null,
  role text not null,
  public_key bytea not null,
  sealed text,
  created_at timestamp with time zone not null,
  retired_at timestamp with time zone,
  constraint evidence_keys_pkey PRIMARY KEY (kid),
  constraint evidence_keys_log_id_fkey FOREIGN KEY (log_id) REFERENCES evidence_logs(id),
  constraint evidence_keys_role_check CHECK ((role = ANY (ARRAY['log'::text, 'bundle'::text])))
);
CREATE UNIQUE INDEX evidence_keys_current ON public.evidence_keys USING btree (log_id, role) WHERE (retired_at IS NULL);

create table evidence_logs (
  id integer not null,
  origin text not null,
  size bigint default 0 not null,
  checkpoint text,
  checkpoint_size bigint default '-1'::integer not null,
  publishing_until timestamp with time zone,
  created_at timestamp with time zone not null,
  checkpoint_at timestamp with time zone,
  cosigning_until timestamp with time zone,
  constraint evidence_logs_pkey PRIMARY KEY (id),
  constraint evidence_logs_origin_key UNIQUE (origin)
);

create table evidence_pending (
  id bigint generated always as identity not null,
  verification_id text not null,
  seq integer not null,
  commitment bytea not null,
  constraint evidence_pending_pkey PRIMARY KEY (id)
);

create table evidence_stamps (
  log_id integer not null,
  hour timestamp with time zone not null,
  note text not null,
  response bytea,
  asked_at timestamp with time zone not null,
  constraint evidence_stamps_pkey PRIMARY KEY (log_id, hour),
  constraint evidence_stamps_log_id_fkey FOREIGN KEY (log_id) REFERENCES evidence_logs(id)
);

create table evidence_statements (
  id bigint generated always as identity not null,
  verification_id text not null,
  seq integer not null,
  type text not null,
  sealed text not null,
  commitment bytea not null,
  log_id integer,
  leaf_index bigint,
  created_at timestamp with time zone not null,
  constraint evidence_statements_pkey PRIMARY KEY (id),
  constraint evidence_statements_verification_id_seq_key UNIQUE (verification_id, seq),
  constraint evidence_statements_log_id_fkey FOREIGN KEY (log_id) REFERENCES evidence_logs(id),
  constraint evidence_statements_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id)
);

create table evidence_tiles (
  log_id integer not null,
  level smallint not null,
  index bigint not null,
  bytes bytea not null,
  constraint evidence_tiles_pkey PRIMARY KEY (log_id, level, index),
  constraint evidence_tiles_log_id_fkey FOREIGN KEY (log_id) REFERENCES evidence_logs(id)
);
alter table evidence_tiles alter column bytes set storage external;

create table evidence_witnesses (
  log_id integer not null,
  vkey text not null,
  size bigint not null,
  line text,
  failed_at timestamp with time zone,
  constraint evidence_witnesses_pkey PRIMARY KEY (log_id, vkey),
  constraint evidence_witnesses_log_id_fkey FOREIGN KEY (log_id) REFERENCES evidence_logs(id)
);

create table film_keys (
  key integer not null,
  film bigint not null,
  constraint film_keys_pkey PRIMARY KEY (key, film)
);

create table film_prints (
  film bigint generated always as identity not null,
  capture_id text not null,
  tenant_id text not null,
  livemode boolean not null,
  print bytea not null,
  keys integer[] not null,
  came_before boolean not null,
  constraint film_prints_pkey PRIMARY KEY (film),
  constraint film_prints_capture_id_key UNIQUE (capture_id),
  constraint film_prints_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES captures(id) ON DELETE CASCADE
);

create table geocodes (
  query text not null,
  latitude double precision,
  longitude double precision,
  answered_at timestamp with time zone not null,
  constraint geocodes_pkey PRIMARY KEY (query)
);

create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash bytea not null,
  created_at timestamp with time zone not null,
  locked_until timestamp with time zone,
  status integer,
  body text,
  verification_id text,
  constraint idempotency_keys_pkey PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);
CREATE INDEX idempotency_keys_by_verification ON public.idempotency_keys USING btree (verification_id) WHERE (verification_id IS NOT NULL);

create table link_template_versions (
  template_id text not null,
  version integer not null,
  name text not null,
  request jsonb not null,
  published_at timestamp with time zone not null,
  retention_days integer,
  return_url text,
  constraint link_template_versions_pkey PRIMARY KEY (template_id, version),
  constraint link_template_versions_template_id_fkey FOREIGN KEY (template_id) REFERENCES link_templates(id),
  constraint link_template_versions_retention_days_check CHECK ((retention_days > 0))
);

create table link_templates (
  id text not null,
  tenant_id text not null,
  livemode boolean not null,
  status text default 'active'::text not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint link_templates_pkey PRIMARY KEY (id),
  constraint link_templates_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint link_templates_status_check CHECK ((status = ANY (ARRAY['active'::text, 'revoked'::text])))
);
CREATE INDEX link_templates_by_tenant ON public.link_templates USING btree (tenant_id, id DESC);

create table memberships (
  tenant_id text not null,
  person_id text not null,
  role text not null,
  name text,
  created_at timestamp with time zone not null,
  granted_role text,
  constraint memberships_pkey PRIMARY KEY (tenant_id, person_id),
  constraint memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint memberships_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint memberships_granted_role_check CHECK ((granted_role = ANY (ARRAY['viewer'::text, 'reviewer'::text, 'member'::text, 'owner'::text]))),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'reviewer'::text, 'member'::text, 'owner'::text])))
);
CREATE UNIQUE INDEX memberships_by_person ON public.memberships USING btree (person_id);

create table migrations (
  version integer not null,
  name text not null,
  hash text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (version)
);

create table one_time_codes (
  id text not null,
  phone_e164 text not null,
  tries integer default 0 not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint one_time_codes_pkey PRIMARY KEY (id)
);
CREATE INDEX one_time_codes_by_expiry ON public.one_time_codes USING btree (expires_at);

create table passkey_challenges (
  digest bytea not null,
  person_id text,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (digest),
  constraint passkey_challenges_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id)
);
CREATE INDEX passkey_challenges_by_expiry ON public.passkey_challenges USING btree (expires_at);

create table passkey_persons (
  passkey_id text not null,
  person_id text not null,
  proof text not null,
  constraint passkey_persons_pkey PRIMARY KEY (passkey_id, person_id),
  constraint passkey_persons_passkey_id_fkey FOREIGN KEY (passkey_id) REFERENCES passkeys(id) ON DELETE CASCADE,
  constraint passkey_persons_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint passkey_persons_proof_check CHECK ((proof = ANY (ARRAY['email'::text, 'phone_e164'::text, 'link'::text, 'operator'::text, 'provider'::text])))
);
CREATE INDEX passkey_persons_by_person ON public.passkey_persons USING btree (person_id);

create table passkeys (
  id text not null,
  person_id text not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] default '{}'::text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id)
);
CREATE INDEX passkeys_by_person ON public.passkeys USING btree (person_id);

create table person_identities (
  issuer text not null,
  subject text not null,
  person_id text not null,
  provider text not null,
  created_at timestamp with time zone not null,
  proof text not null,
  constraint person_identities_pkey PRIMARY KEY (issuer, subject, person_id),
  constraint person_identities_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint person_identities_proof_check CHECK ((proof = ANY (ARRAY['email'::text, 'provider'::text])))
);
CREATE INDEX person_identities_by_person ON public.person_identities USING btree (person_id);

create table persons (
  id text not null,
  name text,
  email text,
  phone_e164 text,
  last_sign_in_at timestamp with time zone,
  last_livemode boolean,
  removed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  email_proven_at timestamp with time zone,
  phone_proven_at timestamp with time zone,
  removed_from text,
  constraint persons_pkey PRIMARY KEY (id),
  constraint persons_removed_from_fkey FOREIGN KEY (removed_from) REFERENCES tenants(id)
);
CREATE INDEX persons_by_email ON public.persons USING btree (email) WHERE (email IS NOT NULL);
CREATE INDEX persons_by_phone ON public.persons USING btree (phone_e164) WHERE (phone_e164 IS NOT NULL);

create table provider_flows (
  state_digest bytea not null,
  browser_digest bytea not null,
  provider text not null,
  verifier text not null,
  nonce text not null,
  return_to text not null,
  expires_at timestamp with time zone not null,
  constraint provider_flows_pkey PRIMARY KEY (state_digest)
);
CREATE INDEX provider_flows_by_expiry ON public.provider_flows USING btree (expires_at);

create unlogged table rate_windows (
  key text not null,
  lasts bigint[] default '{}'::bigint[] not null,
  counts integer[] default '{}'::integer[] not null,
  touched_at timestamp with time zone default now() not null,
  constraint rate_windows_pkey PRIMARY KEY (key)
) with (fillfactor = 50);

create table reverse_entries (
  id bigint generated always as identity not null,
  picture_id bigint not null,
  hash bit(256) not null,
  region real[] not null,
  frame real[] not null,
  constraint reverse_entries_pkey PRIMARY KEY (id) INCLUDE (hash),
  constraint reverse_entries_picture_id_fkey FOREIGN KEY (picture_id) REFERENCES reverse_pictures(id) ON DELETE CASCADE
) with (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE INDEX reverse_entries_by_picture ON public.reverse_entries USING btree (picture_id);

create table reverse_lists (
  id bigint generated always as identity not null,
  scope_id bigint not null,
  name text not null,
  created_at timestamp with time zone not null,
  constraint reverse_lists_pkey PRIMARY KEY (id),
  constraint reverse_lists_scope_id_name_key UNIQUE (scope_id, name),
  constraint reverse_lists_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES reverse_scopes(id)
);

create table reverse_pictures (
  id bigint generated always as identity not null,
  scope_id bigint not null,
  capture_id text,
  verification_id text,
  list_id bigint,
  label text,
  pdq bit(256) not null,
  quality smallint not null,
  thumbnail bytea,
  thumbnail_width smallint,
  thumbnail_height smallint,
  created_at timestamp with time zone not null,
  corners bytea,
  words integer[],
  constraint reverse_pictures_pkey PRIMARY KEY (id),
  constraint reverse_pictures_capture_id_key UNIQUE (capture_id),
  constraint reverse_pictures_list_id_label_key UNIQUE (list_id, label),
  constraint reverse_pictures_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES captures(id),
  constraint reverse_pictures_list_id_fkey FOREIGN KEY (list_id) REFERENCES reverse_lists(id),
  constraint reverse_pictures_scope_id_fkey FOREIGN KEY (scope_id) REFERENCES reverse_scopes(id),
  constraint reverse_pictures_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id),
  constraint reverse_pictures_check CHECK (((capture_id IS NULL) = (list_id IS NOT NULL)))
);
CREATE INDEX reverse_pictures_by_word ON public.reverse_pictures USING gin (words) WITH (fastupdate='on', gin_pending_list_limit='512') WHERE (words IS NOT NULL);
CREATE INDEX reverse_pictures_of_captures ON public.reverse_pictures USING btree (scope_id, id) WHERE (capture_id IS NOT NULL);

create table reverse_scopes (
  id bigint generated always as identity not null,
  tenant_id text,
  livemode boolean,
  filed_to bigint default 0 not null,
  files_later_from timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint reverse_scopes_pkey PRIMARY KEY (id),
  constraint reverse_scopes_tenant_id_livemode_key UNIQUE NULLS NOT DISTINCT (tenant_id, livemode),
  constraint reverse_scopes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint reverse_scopes_check CHECK (((tenant_id IS NOT NULL) OR (livemode IS NULL)))
);

create table reverse_slots (
  key bigint not null,
  part integer not null,
  records bytea not null,
  constraint reverse_slots_pkey PRIMARY KEY (key, part)
) with (fillfactor = 70, toast_tuple_target = 8160);
alter table reverse_slots alter column records set storage external;

create table reviews (
  id text not null,
  number bigint generated always as identity not null,
  verification_id text not null,
  tenant_id text not null,
  person_id text not null,
  person_name text not null,
  decision text not null,
  reasons jsonb not null,
  note text,
  flags jsonb,
  blind boolean not null,
  seconds integer not null,
  created_at timestamp with time zone not null,
  struck_at timestamp with time zone,
  constraint reviews_pkey PRIMARY KEY (id),
  constraint reviews_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint reviews_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint reviews_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id),
  constraint reviews_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'rejected'::text, 'retake'::text, 'escalated'::text]))),
  constraint reviews_seconds_check CHECK ((seconds >= 0))
);
CREATE INDEX reviews_by_tenant ON public.reviews USING btree (tenant_id, created_at);
CREATE INDEX reviews_by_verification ON public.reviews USING btree (verification_id, number);

create table session_persons (
  session_id text not null,
  person_id text not null,
  proof text not null,
  constraint session_persons_pkey PRIMARY KEY (session_id, person_id),
  constraint session_persons_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint session_persons_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint session_persons_proof_check CHECK ((proof = ANY (ARRAY['email'::text, 'phone_e164'::text, 'link'::text, 'operator'::text, 'provider'::text])))
);
CREATE INDEX session_persons_by_person ON public.session_persons USING btree (person_id);

create table sessions (
  id text not null,
  person_id text not null,
  tenant_id text not null,
  livemode boolean not null,
  method text not null,
  address text not null,
  device text not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint sessions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_by_person ON public.sessions USING btree (person_id, created_at DESC);

create table settings (
  name text not null,
  sealed text not null,
  created_at timestamp with time zone default now() not null,
  constraint settings_pkey PRIMARY KEY (name)
);

create table sign_in_mails (
  id text not null,
  purpose text not null,
  email text not null,
  tenant_id text,
  created_at timestamp with time zone not null,
  constraint sign_in_mails_pkey PRIMARY KEY (id),
  constraint sign_in_mails_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint sign_in_mails_purpose_check CHECK ((purpose = ANY (ARRAY['magic_link'::text, 'invitation'::text])))
);

create table sign_in_tokens (
  digest bytea not null,
  person_id text,
  purpose text not null,
  mail_id text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  email text,
  constraint sign_in_tokens_pkey PRIMARY KEY (digest),
  constraint sign_in_tokens_mail_id_key UNIQUE (mail_id),
  constraint sign_in_tokens_person_id_fkey FOREIGN KEY (person_id) REFERENCES persons(id),
  constraint sign_in_tokens_open CHECK (((person_id IS NOT NULL) OR (email IS NOT NULL))),
  constraint sign_in_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['magic_link'::text, 'invitation'::text, 'first_run'::text])))
);
CREATE INDEX sign_in_tokens_by_email ON public.sign_in_tokens USING btree (email, created_at) WHERE (email IS NOT NULL);
CREATE INDEX sign_in_tokens_by_expiry ON public.sign_in_tokens USING btree (expires_at);
CREATE INDEX sign_in_tokens_by_person ON public.sign_in_tokens USING btree (person_id, created_at);

create table slow_jobs (
  id bigint generated always as identity not null,
  task text not null,
  subject_id text not null,
  tenant_id text not null,
  livemode boolean not null,
  added_at timestamp with time zone default now() not null,
  traceparent text,
  turn bigint default 0 not null,
  class smallint default 0 not null,
  attempts smallint default 0 not null,
  due_at timestamp with time zone default now() not null,
  constraint slow_jobs_pkey PRIMARY KEY (id),
  constraint slow_jobs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE INDEX slow_jobs_by_subject ON public.slow_jobs USING btree (subject_id);
CREATE INDEX slow_jobs_in_turn ON public.slow_jobs USING btree (turn, class, id);

create table statistics (
  tenant_id text not null,
  livemode boolean not null,
  grain text not null,
  "grouping" text not null,
  start timestamp with time zone not null,
  key text not null,
  counts jsonb not null,
  constraint statistics_pkey PRIMARY KEY (tenant_id, livemode, grain, "grouping", start, key),
  constraint statistics_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint statistics_grain_check CHECK ((grain = ANY (ARRAY['hour'::text, 'day'::text])))
);

create table statistics_changes (
  id bigint generated always as identity not null,
  tenant_id text not null,
  livemode boolean not null,
  hour timestamp with time zone not null,
  verdict text,
  reason text,
  template text,
  brand text,
  sign smallint not null,
  measures text[] not null,
  constraint statistics_changes_pkey PRIMARY KEY (id)
);

create table statistics_position (
  only_one boolean default true not null,
  upto xid8 not null,
  merged_from timestamp with time zone not null,
  constraint statistics_position_pkey PRIMARY KEY (only_one),
  constraint statistics_position_only_one_check CHECK (only_one)
);

create table tenants (
  id text not null,
  name text not null,
  notify_email text,
  retention_days integer,
  rate_limit_per_minute integer,
  is_trial boolean default false not null,
  created_at timestamp with time zone default now() not null,
  review_policy text default 'one'::text not null,
  review_sample double precision default 0.02 not null,
  depth_policy text default 'lenient'::text not null,
  signals_required text[],
  allowed_origins text[] default '{}'::text[] not null,
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_depth_policy_check CHECK ((depth_policy = ANY (ARRAY['lenient'::text, 'strict'::text, 'attested'::text]))),
  constraint tenants_rate_limit_per_minute_check CHECK ((rate_limit_per_minute > 0)),
  constraint tenants_retention_days_check CHECK ((retention_days > 0)),
  constraint tenants_review_policy_check CHECK ((review_policy = ANY (ARRAY['none'::text, 'one'::text, 'two_people'::text]))),
  constraint tenants_review_sample_check CHECK (((review_sample >= (0)::double precision) AND (review_sample <= (1)::double precision)))
);
CREATE UNIQUE INDEX tenants_one_trial ON public.tenants USING btree (is_trial) WHERE is_trial;

create table turn_clocks (
  kind text not null,
  turn bigint not null,
  constraint turn_clocks_pkey PRIMARY KEY (kind)
);

create table turn_lanes (
  kind text not null,
  tenant_id text not null,
  livemode boolean not null,
  class smallint not null,
  cost smallint not null,
  next_turn bigint not null,
  constraint turn_lanes_pkey PRIMARY KEY (kind, tenant_id, livemode),
  constraint turn_lanes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);

create table upload_addresses (
  capture_id text not null,
  verification_id text not null,
  ends_at timestamp with time zone not null,
  swept_at timestamp with time zone,
  constraint upload_addresses_pkey PRIMARY KEY (capture_id),
  constraint upload_addresses_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id)
);
CREATE INDEX upload_addresses_by_end ON public.upload_addresses USING btree (ends_at);
CREATE INDEX upload_addresses_by_verification ON public.upload_addresses USING btree (verification_id, ends_at);

create table verification_changes (
  recorded_in xid8 default pg_current_xact_id() not null,
  scope text not null,
  verification_id text not null,
  at timestamp with time zone default now() not null,
  counted jsonb
);
CREATE INDEX verification_changes_by_age ON public.verification_changes USING btree (at);
CREATE INDEX verification_changes_in_order ON public.verification_changes USING btree (recorded_in);

create table verification_metadata (
  scope text not null,
  pair uuid not null,
  created_at timestamp with time zone not null,
  verification_id text not null,
  constraint verification_metadata_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id) ON DELETE CASCADE
);
CREATE INDEX verification_metadata_by_verification ON public.verification_metadata USING btree (verification_id);
CREATE UNIQUE INDEX verification_metadata_newest ON public.verification_metadata USING btree (scope, pair, created_at DESC, verification_id DESC);

create table verification_search (
  verification_id text not null,
  scope text not null,
  created_at timestamp with time zone not null,
  words text not null,
  constraint verification_search_pkey PRIMARY KEY (verification_id),
  constraint verification_search_verification_id_fkey FOREIGN KEY (verification_id) REFERENCES verifications(id) ON DELETE CASCADE
);
CREATE INDEX verification_search_newest ON public.verification_search USING btree (scope, created_at DESC, verification_id DESC);
CREATE INDEX verification_search_pieces ON public.verification_search USING gin (scope, search_pieces(words)) WITH (gin_pending_list_limit='512');
CREATE INDEX verification_search_words ON public.verification_search USING gin (scope, words gin_trgm_ops) WITH (gin_pending_list_limit='512');

create table verifications (
  id text not null,
  tenant_id text not null,
  livemode boolean not null,
  status text default 'pending'::text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  config jsonb not null,
  private jsonb default '{}'::jsonb not null,
  external_ref text,
  captures_count integer default 0 not null,
  answers jsonb default '{}'::jsonb not null,
  progress jsonb,
  verdict jsonb,
  narrative text,
  finalized_at timestamp with time zone,
  case_analysis jsonb,
  object_match jsonb,
  condition jsonb,
  event_sequence integer default 0 not null,
  redacted_at timestamp with time zone,
  checks_started_at timestamp with time zone,
  checks_done_at timestamp with time zone,
  seal_hash text,
  closed_at timestamp with time zone,
  erase_at timestamp with time zone,
  legal_hold jsonb,
  review_state text default 'none'::text not null,
  review_needs smallint,
  review_causes jsonb,
  review_opened_at timestamp with time zone,
  review_escalated boolean default false not null,
  review_decision text,
  review_decided_at timestamp with time zone,
  review_claimed_by jsonb,
  review_claimed_at timestamp with time zone,
  review_claimed_until timestamp with time zone,
  furthest smallint,
  first_captured_at timestamp with time zone,
  instructions_found jsonb,
  constraint verifications_pkey PRIMARY KEY (id),
  constraint verifications_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint verifications_captures_count_check CHECK (((captures_count >= 0) AND (captures_count <= 20))),
  constraint verifications_check CHECK (((verdict IS NULL) OR (status = 'completed'::text))),
  constraint verifications_review_needs_check CHECK ((review_needs = ANY (ARRAY[1, 2]))),
  constraint verifications_review_state_check CHECK ((review_state = ANY (ARRAY['none'::text, 'open'::text, 'disputed'::text, 'decided'::text]))),
  constraint verifications_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'partially_captured'::text, 'completed'::text, 'expired'::text, 'failed'::text, 'abandoned'::text])))
);
CREATE INDEX verifications_by_brand ON public.verifications USING btree (tenant_id, livemode, ((private ->> 'brand_slug'::text)), created_at DESC, id DESC) WHERE (private ? 'brand_slug'::text);
CREATE INDEX verifications_by_email ON public.verifications USING btree (tenant_id, lower((private #>> '{person,email}'::text[]))) WHERE ((private #>> '{person,email}'::text[]) IS NOT NULL);
CREATE INDEX verifications_by_phone ON public.verifications USING btree (tenant_id, ((private #>> '{person,phone_e164}'::text[]))) WHERE ((private #>> '{person,phone_e164}'::text[]) IS NOT NULL);
CREATE INDEX verifications_by_reference ON public.verifications USING btree (tenant_id, livemode, NORMALIZE(external_ref, NFC), created_at DESC, id DESC) WHERE (external_ref IS NOT NULL);
CREATE INDEX verifications_by_review ON public.verifications USING btree (tenant_id, livemode, review_state, created_at DESC, id DESC) WHERE (review_state <> 'none'::text);
CREATE INDEX verifications_by_status ON public.verifications USING btree (tenant_id, livemode, status, created_at DESC, id DESC);
CREATE INDEX verifications_by_template ON public.verifications USING btree (tenant_id, livemode, (((private -> 'template'::text) ->> 'id'::text)), created_at DESC, id DESC) WHERE (private ? 'template'::text);
CREATE INDEX verifications_by_verdict ON public.verifications USING btree (tenant_id, livemode, ((verdict ->> 'label'::text)), created_at DESC, id DESC) WHERE (verdict IS NOT NULL);
CREATE INDEX verifications_due ON public.verifications USING btree (expires_at) WHERE (status = ANY (ARRAY['pending'::text, 'partially_captured'::text, 'abandoned'::text]));
CREATE INDEX verifications_newest ON public.verifications USING btree (tenant_id, livemode, created_at DESC, id DESC);
CREATE INDEX verifications_retained ON public.verifications USING btree (tenant_id, closed_at) WHERE ((closed_at IS NOT NULL) AND (erase_at IS NULL) AND (redacted_at IS NULL) AND (legal_hold IS NULL));
CREATE INDEX verifications_to_erase ON public.verifications USING btree (erase_at) WHERE ((erase_at IS NOT NULL) AND (redacted_at IS NULL) AND (legal_hold IS NULL));
CREATE INDEX verifications_to_review ON public.verifications USING btree (tenant_id, livemode, review_opened_at, id) WHERE (review_state = ANY (ARRAY['open'::text, 'disputed'::text]));

create table webhook_claims (
  id text not null,
  node text not null,
  until timestamp with time zone not null,
  delivery_ids text[] not null,
  constraint webhook_claims_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_claims_until ON public.webhook_claims USING btree (until);

create table webhook_deliveries (
  id text not null,
  event_id text not null,
  tenant_id text not null,
  livemode boolean not null,
  verification_id text,
  type text not null,
  status text default 'pending'::text not null,
  attempts jsonb default '[]'::jsonb not null,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone not null,
  endpoint_id text not null,
  earlier_attempts integer default 0 not null,
  failed_at timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
  constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
) with (fillfactor = 45);
CREATE INDEX webhook_deliveries_by_tenant ON public.webhook_deliveries USING btree (tenant_id, id DESC);
CREATE INDEX webhook_deliveries_by_verification ON public.webhook_deliveries USING btree (verification_id, id DESC);
CREATE INDEX webhook_deliveries_failed ON public.webhook_deliveries USING btree (tenant_id, id DESC) WHERE (failed_at IS NOT NULL);
CREATE UNIQUE INDEX webhook_deliveries_once ON public.webhook_deliveries USING btree (event_id, endpoint_id);

create table webhook_endpoints (
  id text not null,
  tenant_id text not null,
  livemode boolean not null,
  url text not null,
  url_sha256 bytea not null,
  due_at timestamp with time zone,
  ailing boolean default false not null,
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone not null,
  only_for text,
  forget boolean default false not null,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
) with (fillfactor = 70);
CREATE INDEX webhook_endpoints_by_tenant ON public.webhook_endpoints USING btree (tenant_id, id DESC);
CREATE INDEX webhook_endpoints_due ON public.webhook_endpoints USING btree (ailing, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_endpoints_forget ON public.webhook_endpoints USING btree (id) WHERE forget;
CREATE UNIQUE INDEX webhook_endpoints_once ON public.webhook_endpoints USING btree (tenant_id, livemode, url_sha256);
CREATE INDEX webhook_endpoints_only_for ON public.webhook_endpoints USING btree (only_for) WHERE (only_for IS NOT NULL);

create table webhook_queue (
  delivery_id text not null,
  endpoint_id text not null,
  run_at timestamp with time zone not null,
  event_id text not null,
  attempts integer default 0 not null,
  constraint webhook_queue_pkey PRIMARY KEY (delivery_id),
  constraint webhook_queue_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON DELETE CASCADE
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
CREATE INDEX webhook_queue_due ON public.webhook_queue USING btree (endpoint_id, run_at);

create table webhook_secrets (
  id bigint generated always as identity not null,
  tenant_id text not null,
  sealed text not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (id),
  constraint webhook_secrets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id)
);
CREATE UNIQUE INDEX webhook_secrets_current ON public.webhook_secrets USING btree (tenant_id) WHERE (expires_at IS NULL);

create table witness_keys (
  name text not null,
  only_one boolean default true not null,
  public_key bytea not null,
  sealed text not null,
  created_at timestamp with time zone not null,
  constraint witness_keys_pkey PRIMARY KEY (name),
  constraint witness_keys_only_one_key UNIQUE (only_one),
  constraint witness_keys_only_one_check CHECK (only_one)
);

create table witnessed_logs (
  origin text not null,
  size bigint not null,
  root bytea not null,
  note text not null,
  cosigned_at timestamp with time zone not null,
  constraint witnessed_logs_pkey PRIMARY KEY (origin)
);

create table worker_nodes (
  worker_id text not null,
  seen_at timestamp with time zone not null,
  constraint worker_nodes_pkey PRIMARY KEY (worker_id)
);

CREATE OR REPLACE FUNCTION public.duration_bin(since timestamp with time zone, until timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE STRICT
AS $function$
declare
  seconds integer := least(greatest(floor(extract(epoch from until - since)), 0), 2147483647)::integer;
  octave integer := 0;
begin
  while seconds >= 64 loop
    seconds := seconds / 2;
    octave := octave + 1;
  end loop;
  return octave * 32 + seconds;
end
$function$
;

CREATE OR REPLACE FUNCTION public.forget_film_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from film_keys where key = any(old.keys) and film = old.film;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.funnel_rank(step text)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE
RETURN (array_position(ARRAY['landing'::text, 'ready'::text, 'camera_blocked'::text, 'capturing'::text, 'reviewing'::text, 'uploading'::text, 'success'::text], step))::smallint
;

CREATE OR REPLACE FUNCTION public.index_verification()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  in_scope text := verification_scope(new.tenant_id, new.livemode);
  metadata jsonb := coalesce(new.config -> 'metadata', '{}');
  found_words text;
begin
  if tg_op = 'UPDATE' then
    delete from verification_search where verification_id = new.id;
    delete from verification_metadata where verification_id = new.id;
  end if;
  found_words := search_form(concat_ws(chr(31), new.external_ref, new.private -> 'person' ->> 'name',
    (select string_agg(value, chr(31)) from jsonb_each_text(metadata))));
  if found_words <> '' then
    insert into verification_search values (new.id, in_scope, new.created_at, found_words);
  end if;
  -- Two keys that differ in their spelling alone are one pair.
  insert into verification_metadata
    select distinct in_scope, metadata_pair(key, value), new.created_at, new.id from jsonb_each_text(metadata);
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.metadata_form(metadata jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (NORMALIZE((metadata)::text, NFC))::jsonb
;

CREATE OR REPLACE FUNCTION public.metadata_pair(key text, value text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
RETURN (md5((jsonb_build_array(NORMALIZE(key, NFC), NORMALIZE(value, NFC)))::text))::uuid
;

CREATE OR REPLACE FUNCTION public.note_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  deltas jsonb;
begin
  if tg_op = 'INSERT' then
    deltas := jsonb_build_array(statistics_delta(new, new.private, 1));
  -- An erased verification keeps counting as what it was.
  elsif old.redacted_at is null and (
    old.status is distinct from new.status or old.verdict is distinct from new.verdict or old.completed_at is distinct from new.completed_at
    or old.furthest is distinct from new.furthest or old.first_captured_at is distinct from new.first_captured_at
    or old.review_state is distinct from new.review_state or old.review_decision is distinct from new.review_decision
    or old.review_decided_at is distinct from new.review_decided_at) then
    deltas := jsonb_build_array(statistics_delta(old, old.private, -1), statistics_delta(new, old.private, 1));
  end if;
  if deltas is not null and (select merged_from > now() from statistics_position) then
    insert into statistics_changes (tenant_id, livemode, hour, verdict, reason, template, brand, sign, measures)
    select new.tenant_id, new.livemode, d.*
    from jsonb_to_recordset(deltas) as d (hour timestamptz, verdict text, reason text, template text, brand text, sign smallint, measures text[]);
    deltas := null;
  end if;
  insert into verification_changes (scope, verification_id, counted)
  values (verification_scope(new.tenant_id, new.livemode), new.id, deltas);
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_furthest()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    new.furthest := greatest(old.furthest, funnel_rank(new.progress ->> 'step'));
    if new.captures_count > 0 and old.first_captured_at is null then
      new.first_captured_at := (select min(created_at) from captures where verification_id = new.id);
    end if;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.search_form(words text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN NORMALIZE(lower(NORMALIZE(words, NFKC)), NFKC)
;

CREATE OR REPLACE FUNCTION public.search_newest(in_scope text, pattern text, before_at timestamp with time zone, before_id text, walked bigint, since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
 RETURNS TABLE(verification_id text, created_at timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
    select n.verification_id, n.created_at from (
      select * from verification_search s where s.scope = in_scope and (s.created_at, s.verification_id) < (before_at, before_id)
        and s.created_at > since
      order by s.created_at desc, s.verification_id desc limit walked) n
    where n.words like pattern
  $function$
;

CREATE OR REPLACE FUNCTION public.search_pieces(words text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select array_agg(distinct piece) from (
    select c, c || coalesce(lead(c) over (order by n), '') as pair from string_to_table(words, null) with ordinality as t (c, n)) chars,
    lateral (values (c), (pair)) pieces (piece)
$function$
;

CREATE OR REPLACE FUNCTION public.search_verifications(in_scope text, found text, pattern text, most bigint)
 RETURNS TABLE(verification_id text, created_at timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_indexscan TO 'off'
AS $function$
    (select s.verification_id, s.created_at from verification_search s
      where found ~ '[[:alnum:]]{3}' and s.scope = in_scope and s.words like pattern limit most)
    union all
    (select s.verification_id, s.created_at from verification_search s
      -- Not LIKE: the index of trigrams, useless here, would take it.
      where found !~ '[[:alnum:]]{3}' and s.scope = in_scope and strpos(s.words, found) > 0
        and search_pieces(s.words) @> (select array_agg(piece) from unnest(search_pieces(found)) piece
          where char_length(piece) = least(2, char_length(found)))
      limit most)
  $function$
;

CREATE OR REPLACE FUNCTION public.statistics_delta(v verifications, was_private jsonb, sign integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
RETURN jsonb_strip_nulls(jsonb_build_object('hour', date_trunc('hour'::text, (v).created_at, 'UTC'::text), 'verdict', ((v).verdict ->> 'label'::text), 'reason', ((v).verdict ->> 'reason_code'::text), 'template', ((was_private -> 'template'::text) ->> 'id'::text), 'brand', (was_private ->> 'brand_slug'::text), 'sign', sign, 'measures', to_jsonb(statistics_of(v))))
;

CREATE OR REPLACE FUNCTION public.statistics_of(v verifications)
 RETURNS text[]
 LANGUAGE sql
 STABLE
RETURN array_remove(ARRAY['created'::text, CASE WHEN ((v).status = ANY (ARRAY['completed'::text, 'expired'::text, 'failed'::text])) THEN (v).status ELSE NULL::text END, CASE WHEN (((v).verdict ->> 'label'::text) = ANY (ARRAY['verified'::text, 'suspicious'::text])) THEN ((v).verdict ->> 'label'::text) ELSE NULL::text END, CASE WHEN (((v).verdict ->> 'label'::text) = 'failed'::text) THEN ('rejected:'::text || ((v).verdict ->> 'reason_code'::text)) ELSE NULL::text END, CASE WHEN ((v).review_state = 'decided'::text) THEN 'reviewed'::text ELSE NULL::text END, CASE WHEN (((v).review_state = 'decided'::text) AND (((((v).verdict ->> 'label'::text) = 'verified'::text) AND ((v).review_decision = 'rejected'::text)) OR ((((v).verdict ->> 'label'::text) = ANY (ARRAY['suspicious'::text, 'failed'::text])) AND ((v).review_decision = 'approved'::text)))) THEN 'overridden'::text ELSE NULL::text END, ('step:'::text || (v).furthest), ('to_capture:'::text || duration_bin((v).created_at, (v).first_captured_at)), ('to_verdict:'::text || duration_bin((v).created_at, (v).completed_at)), CASE WHEN ((v).review_state = 'decided'::text) THEN ('to_review:'::text || duration_bin((v).review_opened_at, (v).review_decided_at)) ELSE NULL::text END], NULL::text)
;

CREATE OR REPLACE FUNCTION public.take_permits(keys text[], wanted integer[], limits integer[], windows_ms bigint[])
 RETURNS TABLE(granted integer, remaining integer, wait_ms bigint, reset_ms bigint)
 LANGUAGE plpgsql
AS $function$
declare
  old_lasts bigint[];
  old_counts integer[];
  new_lasts bigint[];
  new_counts integer[];
  used integer;
  left_over integer;
  slot_ms bigint;
  at_ms bigint;
  n integer;
  made boolean;
begin
  for i in 1 .. coalesce(cardinality(keys), 0) loop
    made := false;
    loop
      select w.lasts, w.counts into old_lasts, old_counts from rate_windows w where w.key = keys[i] for update;
      exit when found;
      at_ms := floor(extract(epoch from clock_timestamp()) * 1000);
      granted := greatest(0, least(wanted[i], limits[i]));
      insert into rate_windows (key, lasts, counts)
      values (keys[i], case when granted > 0 then array[at_ms] else '{}' end, case when granted > 0 then array[granted] else '{}' end)
      on conflict do nothing returning lasts, counts into new_lasts, new_counts;
      made := found;
      exit when made;
    end loop;
    if made then
      used := granted;
      n := cardinality(new_lasts);
    else
      -- The clock is read under the row's lock: what one transaction writes is never in the next one's future.
      at_ms := floor(extract(epoch from clock_timestamp()) * 1000);
      slot_ms := greatest(1, windows_ms[i] / 120);
      new_lasts := '{}';
      new_counts := '{}';
      used := 0;
      for j in 1 .. coalesce(cardinality(old_lasts), 0) loop
        continue when old_lasts[j] <= at_ms - windows_ms[i];
        new_lasts := new_lasts || old_lasts[j];
        new_counts := new_counts || old_counts[j];
        used := used + old_counts[j];
      end loop;
      granted := greatest(0, least(wanted[i], limits[i] - used));
      n := coalesce(cardinality(new_lasts), 0);
      if granted > 0 then
        if n > 0 and new_lasts[n] / slot_ms = at_ms / slot_ms then
          new_lasts[n] := at_ms;
          new_counts[n] := new_counts[n] + granted;
        else
          new_lasts := new_lasts || at_ms;
          new_counts := new_counts || granted;
          n := n + 1;
        end if;
        used := used + granted;
        update rate_windows w set lasts = new_lasts, counts = new_counts, touched_at = now() where w.key = keys[i];
      end if;
    end if;
    remaining := greatest(0, limits[i] - used);
    reset_ms := case when n > 0 then new_lasts[1] + windows_ms[i] - at_ms else 0 end;
    wait_ms := null;
    if remaining = 0 then
      left_over := used;
      for j in 1 .. n loop
        left_over := left_over - new_counts[j];
        wait_ms := new_lasts[j] + windows_ms[i] - at_ms;
        exit when left_over < limits[i];
      end loop;
    end if;
    return next;
  end loop;
end
$function$
;

CREATE OR REPLACE FUNCTION public.verification_scope(tenant_id text, livemode boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN (tenant_id || CASE WHEN livemode THEN ':live'::text ELSE ':test'::text END)
;

CREATE TRIGGER film_prints_forget AFTER DELETE ON film_prints FOR EACH ROW EXECUTE FUNCTION forget_film_keys();

CREATE TRIGGER verification_changed AFTER INSERT OR UPDATE ON verifications FOR EACH ROW EXECUTE FUNCTION note_change();

CREATE TRIGGER verification_furthest BEFORE UPDATE OF progress, captures_count ON verifications FOR EACH ROW EXECUTE FUNCTION note_furthest();

CREATE TRIGGER verification_indexed AFTER INSERT ON verifications FOR EACH ROW EXECUTE FUNCTION index_verification();

CREATE TRIGGER verification_reindexed AFTER UPDATE OF config, private, external_ref ON verifications FOR EACH ROW WHEN (old.config IS DISTINCT FROM new.config OR old.private IS DISTINCT FROM new.private OR old.external_ref IS DISTINCT FROM new.external_ref) EXECUTE FUNCTION index_verification();
