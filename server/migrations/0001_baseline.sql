-- The whole schema, by the folder of `server/src` that writes each table. Other folders only read it.

-- Search needs both. They come with PostgreSQL and need no superuser.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- identity/tenants

create table tenants (
  id text primary key,
  name text not null,
  notify_email text,
  retention_days integer check (retention_days > 0),
  rate_limit_per_minute integer check (rate_limit_per_minute > 0),
  is_trial boolean not null default false,
  created_at timestamptz not null default now(),
  review_policy text not null default 'one' check (review_policy in ('none', 'one', 'two_people')),
  -- The share of verified verifications that people see as well.
  review_sample double precision not null default 0.02 check (review_sample between 0 and 1),
  depth_policy text not null default 'lenient' check (depth_policy in ('lenient', 'strict', 'attested')),
  -- The signals of verifications that are created without any; null: the contract's default.
  signals_required text[],
  -- Origins whose pages may frame the capture page.
  allowed_origins text[] not null default '{}'
);
-- At most one tenant holds what people try out.
create unique index tenants_one_trial on tenants (is_trial) where is_trial;

-- One row without an end is the secret that signs; a rotated one verifies until expires_at.
create table webhook_secrets (
  id bigint generated always as identity primary key,
  tenant_id text not null references tenants,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create unique index webhook_secrets_current on webhook_secrets (tenant_id) where expires_at is null;

create table api_keys (
  id text primary key,
  tenant_id text not null references tenants,
  name text not null,
  kind text not null check (kind in ('publishable', 'secret')),
  livemode boolean,
  -- SHA-256 of the plaintext, which is shown once and never stored.
  hash bytea not null unique,
  prefix text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- What a publishable key may do; null: everything that a publishable key may.
  scopes text[],
  -- The link template that a key for apps is bound to.
  template_id text,
  check ((kind = 'secret') = (livemode is null))
);
create index api_keys_by_tenant on api_keys (tenant_id, id desc);

create table brands (
  tenant_id text not null references tenants,
  slug text not null,
  -- Counts up: the order of a list.
  number bigint generated always as identity,
  name text not null,
  -- As given, `#rrggbb`. A reader makes the colours legible.
  accent text,
  background text,
  -- Names the picture in the blob store and in its public address; a new picture has a new one.
  logo_id text unique,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Origins whose pages may frame the capture page, and where its last screen leads.
  allowed_origins text[] not null default '{}',
  return_url text,
  primary key (tenant_id, slug),
  check (background is null or accent is not null)
);

-- identity/audit

-- Management actions, each written in the transaction of the action. `detail` holds no secret.
create table audit_log (
  id text primary key,
  tenant_id text not null references tenants,
  actor jsonb not null,
  action text not null,
  target text,
  detail jsonb not null default '{}',
  request_id text,
  created_at timestamptz not null,
  address text,
  device text
);
create index audit_log_by_tenant on audit_log (tenant_id, id desc);

-- identity/auth

-- The messaging bot's signed requests that took effect, for as long as their timestamp would let them in again.
create table bot_signatures (
  -- SHA-256 of the signature.
  digest bytea primary key,
  -- SHA-256 of the Idempotency-Key that came with it.
  idempotency_key bytea,
  seen_at timestamptz not null
);
create index bot_signatures_by_age on bot_signatures (seen_at);

-- identity/people: people, how they are known, and their sessions

-- A person belongs to one account, and every way in says which persons it opens and by which proof.
create table persons (
  id text primary key,
  name text,
  -- Lower case. Null: nobody can sign in by mail.
  email text,
  phone_e164 text,
  last_sign_in_at timestamptz,
  -- The mode in which the next session begins.
  last_livemode boolean,
  removed_at timestamptz,
  created_at timestamptz not null,
  email_proven_at timestamptz,
  phone_proven_at timestamptz,
  -- The account a person was removed from: a provider does not add them there again.
  removed_from text references tenants
);
-- The same address may be a person's in each account. Within one account it is one person's: people/manage.ts checks it
-- under the lock of the account.
create index persons_by_email on persons (email) where email is not null;
create index persons_by_phone on persons (phone_e164) where phone_e164 is not null;

-- A provider's person opens several persons: each whose address the provider verified in a sign-in there, and whoever
-- joined by it.
create table person_identities (
  issuer text not null,
  subject text not null,
  person_id text not null references persons,
  provider text not null,
  created_at timestamptz not null,
  proof text not null check (proof in ('email', 'provider')),
  primary key (issuer, subject, person_id)
);
create index person_identities_by_person on person_identities (person_id);

create table memberships (
  tenant_id text not null references tenants,
  person_id text not null references persons,
  role text not null check (role in ('viewer', 'reviewer', 'member', 'owner')),
  name text,
  created_at timestamptz not null,
  -- What the account gave, while a group at the identity provider gives `role`. Null: `role` is what the account gave.
  granted_role text check (granted_role in ('viewer', 'reviewer', 'member', 'owner')),
  primary key (tenant_id, person_id)
);
create unique index memberships_by_person on memberships (person_id);

create table sessions (
  id text primary key,
  person_id text not null references persons,
  tenant_id text not null references tenants,
  livemode boolean not null,
  method text not null,
  address text not null,
  device text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_by_person on sessions (person_id, created_at desc);
create index sessions_by_expiry on sessions (expires_at);

-- What a session opens, and why: by an address or number that its sign-in proved, by a link that the account handed
-- over, by a link of the operator, or by a provider whose people join the account.
create table session_persons (
  session_id text not null references sessions on delete cascade,
  person_id text not null references persons,
  proof text not null check (proof in ('email', 'phone_e164', 'link', 'operator', 'provider')),
  primary key (session_id, person_id)
);
create index session_persons_by_person on session_persons (person_id);

create table passkeys (
  id text primary key,
  person_id text not null references persons,
  name text not null,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_person on passkeys (person_id);

-- What a passkey opens: what the session opened that added it.
create table passkey_persons (
  passkey_id text not null references passkeys on delete cascade,
  person_id text not null references persons,
  proof text not null check (proof in ('email', 'phone_e164', 'link', 'operator', 'provider')),
  primary key (passkey_id, person_id)
);
create index passkey_persons_by_person on passkey_persons (person_id);

create table passkey_challenges (
  digest bytea primary key,
  -- Whose new passkey it is for; null: for signing in.
  person_id text references persons,
  expires_at timestamptz not null
);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

-- Links that sign in once. Only a digest is kept. A mailed link proves the address and opens whoever has it; any other
-- link opens its one person.
create table sign_in_tokens (
  digest bytea primary key,
  person_id text references persons,
  purpose text not null check (purpose in ('magic_link', 'invitation', 'first_run')),
  mail_id text unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  email text,
  constraint sign_in_tokens_open check (person_id is not null or email is not null)
);
create index sign_in_tokens_by_person on sign_in_tokens (person_id, created_at);
create index sign_in_tokens_by_expiry on sign_in_tokens (expires_at);
create index sign_in_tokens_by_email on sign_in_tokens (email, created_at) where email is not null;

-- Mails asked for and not yet sent, whether or not the address is known.
create table sign_in_mails (
  id text primary key,
  purpose text not null check (purpose in ('magic_link', 'invitation')),
  email text not null,
  tenant_id text references tenants,
  created_at timestamptz not null
);

-- Codes asked for, whether or not the number is known. The code itself is derived from the id and kept nowhere.
create table one_time_codes (
  id text primary key,
  phone_e164 text not null,
  tries integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index one_time_codes_by_expiry on one_time_codes (expires_at);

-- Sign-ins under way at an identity provider.
create table provider_flows (
  state_digest bytea primary key,
  browser_digest bytea not null,
  provider text not null,
  verifier text not null,
  nonce text not null,
  return_to text not null,
  expires_at timestamptz not null
);
create index provider_flows_by_expiry on provider_flows (expires_at);

-- verification/templates

create table link_templates (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  status text not null default 'active' check (status in ('active', 'revoked')),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index link_templates_by_tenant on link_templates (tenant_id, id desc);
alter table api_keys add foreign key (template_id) references link_templates;

-- A capture spec as it was published; never changed, so that a verification's template version can be read for ever.
create table link_template_versions (
  template_id text not null references link_templates,
  version integer not null,
  name text not null,
  request jsonb not null,
  published_at timestamptz not null,
  retention_days integer check (retention_days > 0),
  return_url text,
  primary key (template_id, version)
);

-- verification/verifications

create table verifications (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  status text not null default 'pending'
    check (status in ('pending', 'partially_captured', 'completed', 'expired', 'failed', 'abandoned')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  -- Fixed at issue: what GET shows as config.
  config jsonb not null,
  -- Fixed at issue, never shown: seal, brand_slug, person, asset_ref, ocr_type, test_outcome, template.
  private jsonb not null default '{}',
  external_ref text,
  captures_count integer not null default 0 check (captures_count between 0 and 20),
  answers jsonb not null default '{}',
  progress jsonb,
  verdict jsonb,
  narrative text,
  finalized_at timestamptz,
  case_analysis jsonb,
  object_match jsonb,
  condition jsonb,
  event_sequence integer not null default 0,
  redacted_at timestamptz,
  -- When the vision model was asked about object and condition, and when its answers, or its silence, were recorded.
  checks_started_at timestamptz,
  checks_done_at timestamptz,
  -- SHA-256 over record and answers, taken when the verification ended.
  seal_hash text,
  -- When the verification ended: its retention counts from there. `erase_at`: if its link template sets a retention of
  -- its own.
  closed_at timestamptz,
  erase_at timestamptz,
  -- {reason, placed_at}, while one is in place.
  legal_hold jsonb,
  -- `none`: no review was ever opened. `claimed` is `open` with a claim that has not run out.
  review_state text not null default 'none' check (review_state in ('none', 'open', 'disputed', 'decided')),
  -- How many people must decide, by the policy of the day the review was opened.
  review_needs smallint check (review_needs in (1, 2)),
  -- Why it was opened: `suspicious`, `failed`, `checks`, `sample`. Never shown: a sample is unmarked.
  review_causes jsonb,
  review_opened_at timestamptz,
  review_escalated boolean not null default false,
  review_decision text,
  review_decided_at timestamptz,
  -- Who has the case on screen: {person_id, name}.
  review_claimed_by jsonb,
  review_claimed_at timestamptz,
  review_claimed_until timestamptz,
  -- Kept by `note_furthest`: the furthest step of the capture page, and the first photo.
  furthest smallint,
  first_captured_at timestamptz,
  -- Checks in which the model found text in a picture that tells it what to answer. Each opens a review.
  instructions_found jsonb,
  check (verdict is null or status = 'completed')
);
create index verifications_due on verifications (expires_at)
  where status in ('pending', 'partially_captured', 'abandoned');
create index verifications_retained on verifications (tenant_id, closed_at)
  where closed_at is not null and erase_at is null and redacted_at is null and legal_hold is null;
create index verifications_to_erase on verifications (erase_at)
  where erase_at is not null and redacted_at is null and legal_hold is null;
-- All that is kept about one person is found by these.
create index verifications_by_email on verifications (tenant_id, lower(private #>> '{person,email}'))
  where private #>> '{person,email}' is not null;
create index verifications_by_phone on verifications (tenant_id, (private #>> '{person,phone_e164}'))
  where private #>> '{person,phone_e164}' is not null;
-- The review queue, oldest first. No claim touches an indexed column.
create index verifications_to_review on verifications (tenant_id, livemode, review_opened_at, id)
  where review_state in ('open', 'disputed');

-- Lists are newest first. Each filter has an index in that order, so a page reads only its own rows.
create index verifications_newest on verifications (tenant_id, livemode, created_at desc, id desc);
create index verifications_by_status on verifications (tenant_id, livemode, status, created_at desc, id desc);
create index verifications_by_verdict on verifications (tenant_id, livemode, (verdict ->> 'label'), created_at desc, id desc)
  where verdict is not null;
create index verifications_by_reference on verifications (tenant_id, livemode, normalize(external_ref, nfc), created_at desc, id desc)
  where external_ref is not null;
create index verifications_by_review on verifications (tenant_id, livemode, review_state, created_at desc, id desc)
  where review_state <> 'none';
create index verifications_by_template on verifications (tenant_id, livemode, (private -> 'template' ->> 'id'), created_at desc, id desc)
  where private ? 'template';
create index verifications_by_brand on verifications (tenant_id, livemode, (private ->> 'brand_slug'), created_at desc, id desc)
  where private ? 'brand_slug';

-- How far a step of the capture page is. A camera that stays blocked ends between ready and capturing.
create function funnel_rank(step text) returns smallint language sql immutable
  return array_position(array['landing', 'ready', 'camera_blocked', 'capturing', 'reviewing', 'uploading', 'success'], step)::smallint;

create function note_furthest() returns trigger language plpgsql as $$
begin
  new.furthest := greatest(old.furthest, funnel_rank(new.progress ->> 'step'));
  if new.captures_count > 0 and old.first_captured_at is null then
    new.first_captured_at := (select min(created_at) from captures where verification_id = new.id);
  end if;
  return new;
end
$$;
create trigger verification_furthest before update of progress, captures_count on verifications
  for each row execute function note_furthest();

-- Tenant and mode: what one search or one stream of changes may see.
create function verification_scope(tenant_id text, livemode boolean) returns text language sql immutable
  return tenant_id || case when livemode then ':live' else ':test' end;

-- Unicode spells "ö" as one character or as two: a Mac's files and Vietnamese keyboards bring the second. Search compares
-- compatibility forms without case (NFKC), exact filters compare NFC. What the sender wrote stays as it was.
create function search_form(words text) returns text language sql immutable strict parallel safe
  return normalize(lower(normalize(words, nfkc)), nfkc);
create function metadata_pair(key text, value text) returns uuid language sql immutable
  return md5(jsonb_build_array(normalize(key, nfc), normalize(value, nfc))::text)::uuid;
-- Quotes and separators of JSON compose with nothing, so the text may be normalised as a whole.
create function metadata_form(metadata jsonb) returns jsonb language sql immutable strict parallel safe
  return normalize(metadata::text, nfc)::jsonb;

-- A text without three letters or digits in a row holds no trigram. An index of characters and pairs of characters finds
-- it.
create function search_pieces(words text) returns text[] language sql immutable strict parallel safe as $$
  select array_agg(distinct piece) from (
    select c, c || coalesce(lead(c) over (order by n), '') as pair from string_to_table(words, null) with ordinality as t (c, n)) chars,
    lateral (values (c), (pair)) pieces (piece)
$$;

-- What `q` searches: external_ref, the person's name and every metadata value, in their search form, one after another.
-- A table of its own: `verifications` is updated several times in its life, and each update would write the index again.
create table verification_search (
  verification_id text primary key references verifications on delete cascade,
  scope text not null,
  created_at timestamptz not null,
  words text not null
);
create index verification_search_words on verification_search using gin (scope, words gin_trgm_ops)
  with (gin_pending_list_limit = 512);
create index verification_search_pieces on verification_search using gin (scope, search_pieces(words))
  with (gin_pending_list_limit = 512);
create index verification_search_newest on verification_search (scope, created_at desc, verification_id desc);

-- `metadata[key]=value` in the list's own order. `pair` hashes key and value, which may be longer than an index entry.
create table verification_metadata (
  scope text not null,
  pair uuid not null,
  created_at timestamptz not null,
  verification_id text not null references verifications on delete cascade
);
create unique index verification_metadata_newest on verification_metadata (scope, pair, created_at desc, verification_id desc);
create index verification_metadata_by_verification on verification_metadata (verification_id);

create function index_verification() returns trigger language plpgsql as $$
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
  -- Two keys that differ only in their spelling are one pair.
  insert into verification_metadata
    select distinct in_scope, metadata_pair(key, value), new.created_at, new.id from jsonb_each_text(metadata);
  return null;
end
$$;
create trigger verification_indexed after insert on verifications for each row execute function index_verification();
-- An erasure takes words and metadata out of the row, and with them out of the search.
create trigger verification_reindexed after update of config, private, external_ref on verifications for each row
  when (old.config is distinct from new.config or old.private is distinct from new.private or old.external_ref is distinct from new.external_ref)
  execute function index_verification();

-- Up to `most` verifications whose words hold a text in its search form; `pattern` is the text for LIKE. Only through one
-- of the two indexes, whatever the planner has been told.
create function search_verifications(in_scope text, found text, pattern text, most bigint)
  returns table (verification_id text, created_at timestamptz)
  language sql stable set enable_seqscan = off set enable_indexscan = off
  as $$
    (select s.verification_id, s.created_at from verification_search s
      where found ~ '[[:alnum:]]{3}' and s.scope = in_scope and s.words like pattern limit most)
    union all
    (select s.verification_id, s.created_at from verification_search s
      -- Not LIKE: the index of trigrams, useless here, would take it.
      where found !~ '[[:alnum:]]{3}' and s.scope = in_scope and strpos(s.words, found) > 0
        and search_pieces(s.words) @> (select array_agg(piece) from unnest(search_pieces(found)) piece
          where char_length(piece) = least(2, char_length(found)))
      limit most)
  $$;
-- Those of the `walked` newest verifications after a place and since a time whose words match, in the order of the list.
create function search_newest(in_scope text, pattern text, before_at timestamptz, before_id text, walked bigint, since timestamptz default '-infinity')
  returns table (verification_id text, created_at timestamptz)
  language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
  as $$
    select n.verification_id, n.created_at from (
      select * from verification_search s where s.scope = in_scope and (s.created_at, s.verification_id) < (before_at, before_id)
        and s.created_at > since
      order by s.created_at desc, s.verification_id desc limit walked) n
    where n.words like pattern
  $$;

-- verification/captures

create table captures (
  id text primary key,
  verification_id text not null references verifications,
  tenant_id text not null references tenants,
  step_key text not null,
  source text not null check (source in ('live', 'upload')),
  surface text,
  content_type text not null,
  size_bytes integer not null,
  width integer not null,
  height integer not null,
  sha256 text not null,
  -- Where the original, the preview and the second frame lie in the blob store.
  image_blob text not null,
  preview_blob text,
  motion_blob text,
  created_at timestamptz not null,
  client_captured_at timestamptz,
  idempotency_key text,
  location jsonb,
  attestation jsonb,
  location_match jsonb,
  -- What the detectors found, and what the file says of itself.
  signals jsonb,
  metadata jsonb,
  text jsonb,
  analysis_state text not null default 'pending' check (analysis_state in ('pending', 'done', 'failed')),
  analysis_error text,
  analyzed_at timestamptz,
  -- The context check's opinion, if one was asked for.
  context jsonb,
  -- When its turn comes, by the clock of `turn_clocks`.
  analysis_turn bigint not null default 0,
  -- 0 live, 1 test, 2 trial: the order at the same turn.
  analysis_class smallint not null default 0,
  -- Attempts begun, including one that ended its process.
  analysis_attempts smallint not null default 0,
  -- The end of a pause, or of the claim of the node that works on it.
  analysis_due_at timestamptz not null default now(),
  -- As the client sent it; the challenge may not exist or belong to another capture.
  challenge_id text,
  trace_blob text,
  trace_sha256 text,
  presence jsonb,
  -- Names the JPEG of all pixels of a picture in a format that most browsers cannot show.
  display_blob text,
  -- The W3C trace context of the request that sent it, while OpenTelemetry is on. The analysis continues the trace.
  traceparent text,
  -- Who sent the position, as far as the request shows: app, page or program. Null without a position.
  location_source text,
  -- The person of the account whose browser sent the photo. That person does not review it.
  sent_by text,
  -- A film counts for one photo of an account. The hash covers its pictures: the header names the challenge, and whoever
  -- sends a film again writes another.
  film_sha256 text,
  -- What proves that an attestation of this photo was used: one counts once in a verification.
  attestation_proof bytea
);
create unique index captures_by_verification on captures (verification_id, id);
create unique index captures_by_idempotency_key on captures (verification_id, idempotency_key) where idempotency_key is not null;
-- Equal files in a tenant's earlier cases.
create index captures_by_hash on captures (tenant_id, sha256);
create index captures_by_film on captures (tenant_id, film_sha256) where film_sha256 is not null;
create index captures_to_analyse on captures (analysis_turn, analysis_class, id) where analysis_state = 'pending';

-- Addresses that were given out for one upload each and that no capture has used yet. A sweep removes what lies there
-- unclaimed.
create table upload_addresses (
  capture_id text primary key,
  verification_id text not null references verifications,
  ends_at timestamptz not null,
  swept_at timestamptz
);
create index upload_addresses_by_verification on upload_addresses (verification_id, ends_at);
create index upload_addresses_by_end on upload_addresses (ends_at);

-- Keys of phone apps that Apple's App Attest has vouched for. No row says whose phone it is.
create table app_attest_keys (
  -- SHA-256 of the public key, base64.
  key_id text primary key,
  -- `<team>.<bundle>`.
  app_id text not null,
  environment text not null check (environment in ('production', 'development')),
  -- SubjectPublicKeyInfo, DER.
  public_key bytea not null,
  -- Of the last assertion taken; it only rises.
  counter bigint not null default 0,
  created_at timestamptz not null,
  used_at timestamptz not null
);

-- The moves that a camera session asks for.
create table challenges (
  id text primary key,
  verification_id text not null references verifications,
  step_key text not null,
  -- left, right, up, down: in this order.
  moves text[] not null,
  issued_at timestamptz not null,
  -- A trace must begin before this. The next challenge for the same step brings it forward.
  expires_at timestamptz not null,
  -- The capture that used it.
  capture_id text,
  -- When the service learnt the hashes of the photo and the film that answer the challenge, by its own clock.
  announced_at timestamptz,
  image_sha256 text,
  trace_sha256 text
);
create index challenges_by_step on challenges (verification_id, step_key, issued_at);

-- By which a film is known again, under any account's link: how the picture shifted and turned from frame to frame.
create table film_prints (
  film bigint generated always as identity primary key,
  capture_id text not null unique references captures on delete cascade,
  tenant_id text not null,
  livemode boolean not null,
  -- 6 bytes for each step between frames; see forensics/src/presence/film-print.ts.
  print bytea not null,
  -- The keys under which it is filed.
  keys int[] not null,
  -- Whether the film had come before. The first answer stays, so that a second analysis of the capture repeats it.
  came_before boolean not null
);

-- Some hundred keys for each film: films that share one are compared.
create table film_keys (
  key int not null,
  film bigint not null,
  primary key (key, film)
);

create function forget_film_keys() returns trigger language plpgsql as $$
begin
  delete from film_keys where key = any(old.keys) and film = old.film;
  return null;
end $$;
create trigger film_prints_forget after delete on film_prints for each row execute function forget_film_keys();

-- record/events

-- Facts, in the order they happened to each verification. `body` is the public webhook body, frozen here.
create table events (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  verification_id text references verifications,
  type text not null,
  public_type text,
  sequence integer,
  body text,
  created_at timestamptz not null,
  -- The transaction that recorded it. A reader of the stream stops before the oldest transaction still open, so it misses
  -- no event that commits late.
  recorded_in xid8 not null default pg_current_xact_id(),
  -- The W3C trace context of its cause, while OpenTelemetry is on.
  traceparent text,
  -- Where the events of an erasure go: the verification's own address has been erased by then.
  endpoint_id text,
  unique (verification_id, sequence)
);
create index events_as_stream on events (tenant_id, recorded_in, id);

-- Events that are still to be announced. Written with the event, without a foreign key: that would be one more look-up
-- for every event.
create table event_outbox (
  event_id text primary key
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);

-- record/evidence

-- The log. A row for each epoch; the last is the one that grows. Whoever sequences holds this row.
create table evidence_logs (
  id integer primary key,
  -- Its name for others: the first line of its checkpoints.
  origin text not null unique,
  -- Entries with an index.
  size bigint not null default 0,
  -- The signed note over the last published size, -1 before the first.
  checkpoint text,
  checkpoint_size bigint not null default -1,
  -- One publisher at a time, for as long as it says.
  publishing_until timestamptz,
  created_at timestamptz not null,
  -- When the published state was signed: a bundle waits a moment for the cosignatures of witnesses.
  checkpoint_at timestamptz,
  -- One node at a time asks the witnesses, for as long as it says.
  cosigning_until timestamptz
);

create table evidence_keys (
  -- RFC 7638 thumbprint.
  kid text primary key,
  log_id integer not null references evidence_logs,
  role text not null check (role in ('log', 'bundle')),
  public_key bytea not null,
  -- The 32-byte seed in base64, encrypted. Null once retired.
  sealed text,
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index evidence_keys_current on evidence_keys (log_id, role) where retired_at is null;

-- Tiles of c2sp.org/tlog-tiles, the last one of a level partial. Level -1: the entries, each after its length.
create table evidence_tiles (
  log_id integer not null references evidence_logs,
  level smallint not null,
  index bigint not null,
  bytes bytea not null,
  primary key (log_id, level, index)
);
-- Hashes do not compress.
alter table evidence_tiles alter column bytes set storage external;

create table evidence_statements (
  id bigint generated always as identity primary key,
  verification_id text not null references verifications,
  seq integer not null,
  type text not null,
  -- {statement, salt}, encrypted. An erasure deletes the row.
  sealed text not null,
  commitment bytea not null,
  -- Its entry, once it has one.
  log_id integer references evidence_logs,
  leaf_index bigint,
  created_at timestamptz not null,
  unique (verification_id, seq)
);

-- Commitments without an index. Rows are deleted as they get one, so one that commits late is never passed over.
create table evidence_pending (
  id bigint generated always as identity primary key,
  verification_id text not null,
  seq integer not null,
  commitment bytea not null
);

-- How far each witness has followed our log, with its cosignature of that state.
create table evidence_witnesses (
  log_id integer not null references evidence_logs,
  vkey text not null,
  size bigint not null,
  -- The signature line, without its newline; null while only the witness's own size is known.
  line text,
  -- Null after an answer.
  failed_at timestamptz,
  primary key (log_id, vkey)
);

-- The logs of others that this installation has cosigned, and the last state of each.
create table witnessed_logs (
  origin text primary key,
  size bigint not null,
  root bytea not null,
  note text not null,
  cosigned_at timestamptz not null
);

-- The key with which this installation cosigns.
create table witness_keys (
  name text primary key,
  only_one boolean not null default true unique check (only_one),
  public_key bytea not null,
  -- The 32-byte seed in base64, encrypted.
  sealed text not null,
  created_at timestamptz not null
);

-- custody/bundles

-- A bundle as it was first issued, so that every download has the same bytes: its small files and the list of all of
-- them, encrypted. Another statement makes another bundle.
create table evidence_bundles (
  verification_id text primary key references verifications,
  -- How many statements it holds.
  statements integer not null,
  sealed text not null,
  created_at timestamptz not null
);

-- Time stamps of the published log, one an hour.
create table evidence_stamps (
  log_id integer not null references evidence_logs,
  hour timestamptz not null,
  -- The note as the log signed it, and the authority's answer; null while a node asks for it.
  note text not null,
  response bytea,
  asked_at timestamptz not null,
  primary key (log_id, hour)
);

-- custody/credentials

-- Keys and certificates that this installation made for the Content Credentials of its photos. Keys of the settings are
-- not here.
create table credential_keys (
  id bigint generated always as identity primary key,
  -- PEM, the signing certificate first.
  certificate text not null,
  -- PKCS #8 in PEM, encrypted. Null once retired.
  sealed text,
  created_at timestamptz not null,
  retired_at timestamptz
);
create unique index credential_keys_current on credential_keys ((true)) where retired_at is null;

-- custody/erasure

-- One row for each redacted verification.
create table erasures (
  verification_id text primary key references verifications,
  redacted_at timestamptz not null,
  -- The signed receipt as it was first given: canonical JSON.
  receipt text not null,
  -- The blob store has the receipt.
  receipt_kept boolean not null,
  -- When the objects of the blob store are to be deleted; null once nobody can write another.
  due_at timestamptz,
  deleted_at timestamptz
);
create index erasures_due on erasures (due_at) where due_at is not null;

-- Objects of the blob store whose receipts this database knows. Another one shows that an earlier state was restored.
create table erasure_segments (
  key text primary key,
  known_since timestamptz not null
);

-- delivery/webhooks

-- An address that a tenant's events of one mode go to.
create table webhook_endpoints (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  url text not null,
  -- An index entry has a size limit that a URL has not.
  url_sha256 bytea not null,
  -- No later than the moment its next queued delivery is due; null: nothing is queued.
  due_at timestamptz,
  -- It failed or was slow the last time: a pool of its own sends to it.
  ailing boolean not null default false,
  failing_since timestamptz,
  disabled_at timestamptz,
  created_at timestamptz not null,
  -- The only verification that uses the address. The address goes with its erasure, once `forget` is set and nothing
  -- waits to be sent.
  only_for text,
  forget boolean not null default false
) with (fillfactor = 70);
create unique index webhook_endpoints_once on webhook_endpoints (tenant_id, livemode, url_sha256);
create index webhook_endpoints_by_tenant on webhook_endpoints (tenant_id, id desc);
create index webhook_endpoints_due on webhook_endpoints (ailing, due_at) where due_at is not null;
create index webhook_endpoints_only_for on webhook_endpoints (only_for) where only_for is not null;
create index webhook_endpoints_forget on webhook_endpoints (id) where forget;

-- One event on its way to one endpoint. The body is the event's. A claim and an outcome are one update each of a fresh
-- row: if the new version fits beside the old one and no indexed column changes, no index is written (a heap-only tuple),
-- which halves the cost of a delivery. The event names the verification and the endpoint the tenant, so neither is a
-- foreign key.
create table webhook_deliveries (
  id text primary key,
  event_id text not null references events,
  tenant_id text not null,
  livemode boolean not null,
  verification_id text,
  type text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'cancelled')),
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  endpoint_id text not null references webhook_endpoints,
  -- How many attempts belong to an earlier round: a resend begins the schedule again.
  earlier_attempts integer not null default 0,
  -- When it ended without being accepted. A success leaves this empty, so it changes no index.
  failed_at timestamptz
) with (fillfactor = 45);
create unique index webhook_deliveries_once on webhook_deliveries (event_id, endpoint_id);
create index webhook_deliveries_by_tenant on webhook_deliveries (tenant_id, id desc);
create index webhook_deliveries_by_verification on webhook_deliveries (verification_id, id desc);
create index webhook_deliveries_failed on webhook_deliveries (tenant_id, id desc) where failed_at is not null;

-- The pending deliveries, with what a claim needs to know of them. A claimed delivery leaves the queue.
create table webhook_queue (
  delivery_id text primary key references webhook_deliveries on delete cascade,
  endpoint_id text not null,
  run_at timestamptz not null,
  event_id text not null,
  attempts integer not null default 0
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
create index webhook_queue_due on webhook_queue (endpoint_id, run_at);

-- All deliveries that a node took at once.
create table webhook_claims (
  id text primary key,
  node text not null,
  -- When the claim lapses, should the node vanish.
  until timestamptz not null,
  delivery_ids text[] not null
);
create index webhook_claims_until on webhook_claims (until);

-- delivery/notifications

-- The address of an account's chat, which gets a message for each verification that needs a look.
create table chat_webhooks (
  tenant_id text primary key references tenants,
  -- Whoever knows the address may post: it is kept like a secret.
  sealed text not null,
  host text not null,
  updated_at timestamptz not null
);

-- desk/reviews

-- What people decide beside a verdict.
create table reviews (
  id text primary key,
  -- The order in which they were made, which the clock does not tell within a millisecond.
  number bigint generated always as identity,
  verification_id text not null references verifications,
  tenant_id text not null references tenants,
  person_id text not null references persons,
  person_name text not null,
  decision text not null check (decision in ('approved', 'rejected', 'retake', 'escalated')),
  reasons jsonb not null,
  note text,
  flags jsonb,
  blind boolean not null,
  seconds integer not null check (seconds >= 0),
  created_at timestamptz not null,
  struck_at timestamptz
);
create index reviews_by_verification on reviews (verification_id, number);
-- The decisions of an account by time: how far people agree, and how long they take.
create index reviews_by_tenant on reviews (tenant_id, created_at);

-- desk/batches: many verifications from one list

create table batches (
  id text primary key,
  tenant_id text not null references tenants,
  livemode boolean not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'completed', 'cancelled')),
  -- The request that every row is laid over, and the template version it came from. Empty once every row is made.
  request jsonb not null,
  template jsonb,
  -- Whether people with an e-mail address get their link by mail.
  send boolean not null,
  total integer not null,
  created integer not null default 0,
  failed integer not null default 0,
  -- Links queued for mailing: each has its turn by the pace of the batch.
  mailed integer not null default 0,
  created_at timestamptz not null,
  ended_at timestamptz,
  -- Why it stopped before its end.
  stopped text check (stopped in ('not_allowed')),
  -- Who ordered it: it ends when they lose the right to.
  actor jsonb not null default '{"kind": "system"}'
);
create index batches_by_tenant on batches (tenant_id, id desc);

create table batch_rows (
  batch_id text not null references batches,
  -- As a spreadsheet counts.
  row integer not null,
  -- What the row says. Null once its verification is made or the batch cancelled: no second copy of a person is kept.
  content jsonb,
  verification_id text references verifications,
  error text,
  primary key (batch_id, row)
);
create index batch_rows_waiting on batch_rows (batch_id, row) where content is not null;
create index batch_rows_by_verification on batch_rows (verification_id) where verification_id is not null;

-- desk/bulk: one action on many verifications

create table bulk_acts (
  id text primary key,
  tenant_id text not null references tenants,
  -- Only verifications of these modes are reached.
  modes boolean[] not null,
  act text not null check (act in ('cancel', 'resend', 'reissue', 'review', 'redact')),
  options jsonb not null,
  -- Who ordered it: every verification's own line in the audit log names them.
  activity jsonb not null,
  state text not null default 'queued' check (state in ('queued', 'collecting', 'running', 'completed', 'cancelled')),
  -- The verifications still to be collected, and the place reached. Null once all are collected, because a filter can
  -- name a person.
  filter jsonb,
  collected_to jsonb,
  total integer not null default 0,
  done integer not null default 0,
  failed integer not null default 0,
  created_at timestamptz not null,
  ended_at timestamptz,
  -- Why it stopped before its end.
  stopped text check (stopped in ('not_allowed'))
);
create index bulk_acts_by_tenant on bulk_acts (tenant_id, id desc);

create table bulk_act_items (
  bulk_act_id text not null references bulk_acts,
  number integer not null,
  verification_id text not null references verifications,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  error text,
  -- The verification that `reissue` made.
  created_id text references verifications,
  primary key (bulk_act_id, number)
);
create index bulk_act_items_waiting on bulk_act_items (bulk_act_id, number) where state = 'waiting';

-- desk/statistics: docs/decisions/0009-statistics.md says why triggers note what is counted

-- Whole seconds below 64; above, 32 bins to each doubling.
create function duration_bin(since timestamptz, until timestamptz) returns integer language plpgsql immutable strict as $$
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
$$;

-- Everything that a verification counts as, once each.
create function statistics_of(v verifications) returns text[] language sql stable
  return array_remove(array[
    'created',
    case when v.status in ('completed', 'expired', 'failed') then v.status end,
    case when v.verdict ->> 'label' in ('verified', 'suspicious') then v.verdict ->> 'label' end,
    case when v.verdict ->> 'label' = 'failed' then 'rejected:' || (v.verdict ->> 'reason_code') end,
    case when v.review_state = 'decided' then 'reviewed' end,
    case when v.review_state = 'decided' and (
      (v.verdict ->> 'label' = 'verified' and v.review_decision = 'rejected')
      or (v.verdict ->> 'label' in ('suspicious', 'failed') and v.review_decision = 'approved')) then 'overridden' end,
    'step:' || v.furthest,
    'to_capture:' || duration_bin(v.created_at, v.first_captured_at),
    'to_verdict:' || duration_bin(v.created_at, v.completed_at),
    case when v.review_state = 'decided' then 'to_review:' || duration_bin(v.review_opened_at, v.review_decided_at) end
  ]::text[], null);

-- One verification as the note of a change counts it: with `sign` 1 what it is, with -1 what it was.
create function statistics_delta(v verifications, was_private jsonb, sign integer) returns jsonb language sql stable
  return jsonb_strip_nulls(jsonb_build_object('hour', date_trunc('hour', v.created_at, 'UTC'), 'verdict', v.verdict ->> 'label',
    'reason', v.verdict ->> 'reason_code', 'template', was_private -> 'template' ->> 'id', 'brand', was_private ->> 'brand_slug',
    'sign', sign, 'measures', to_jsonb(statistics_of(v))));

create table statistics (
  tenant_id text not null references tenants,
  livemode boolean not null,
  grain text not null check (grain in ('hour', 'day')),
  -- '' counts all; 'verdict', 'reason', 'template' and 'brand' those with one `key`.
  grouping text not null,
  start timestamptz not null,
  key text not null,
  counts jsonb not null,
  primary key (tenant_id, livemode, grain, grouping, start, key)
);

create table statistics_position (
  only_one boolean primary key default true check (only_one),
  -- `statistics` hold what transactions before this one changed. What this one and later ones changed stands in
  -- `verification_changes`.
  upto xid8 not null
);
insert into statistics_position (upto) values (pg_snapshot_xmin(pg_current_snapshot()));

-- delivery/changes

-- What changed in the last minutes, for pages that are open. Rows stand in the order of the transactions that wrote them.
create table verification_changes (
  recorded_in xid8 not null default pg_current_xact_id(),
  scope text not null,
  verification_id text not null,
  at timestamptz not null default now(),
  -- What statistics have to count of the change: one row for both.
  counted jsonb
);
create index verification_changes_in_order on verification_changes (recorded_in);
create index verification_changes_by_age on verification_changes (at);

create function note_change() returns trigger language plpgsql as $$
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
  insert into verification_changes (scope, verification_id, counted)
  values (verification_scope(new.tenant_id, new.livemode), new.id, deltas);
  return null;
end
$$;
create trigger verification_changed after insert or update on verifications for each row execute function note_change();

-- inspection/analysis: near-duplicate search

-- A scope is what one search may see together: a tenant's captures of one mode, a tenant's lists (livemode null), or the
-- lists of the whole deployment (both null).
create table reverse_scopes (
  id bigint generated always as identity primary key,
  tenant_id text references tenants,
  livemode boolean,
  -- Pictures of captures up to this number are filed in `reverse_slots`: some thousand at a time, in bulk. A search
  -- compares the later ones one by one.
  filed_to bigint not null default 0,
  unique nulls not distinct (tenant_id, livemode),
  check (tenant_id is not null or livemode is null)
);

create table reverse_lists (
  id bigint generated always as identity primary key,
  scope_id bigint not null references reverse_scopes,
  name text not null,
  created_at timestamptz not null,
  unique (scope_id, name)
);

create table reverse_pictures (
  id bigint generated always as identity primary key,
  scope_id bigint not null references reverse_scopes,
  capture_id text unique references captures,
  verification_id text references verifications,
  list_id bigint references reverse_lists,
  -- What the list calls it.
  label text,
  pdq bit(256) not null,
  quality smallint not null,
  -- 8-bit luma in rows, for the geometric confirmation; null for a hash imported without its picture.
  thumbnail bytea,
  thumbnail_width smallint,
  thumbnail_height smallint,
  created_at timestamptz not null,
  -- Corners of the picture, and the words that find it by them, in the picture's own row: a photo costs no further row.
  corners bytea,
  words integer[],
  unique (list_id, label),
  check ((capture_id is null) = (list_id is not null))
);
-- The pending list gathers the words of some hundred pictures before it files them.
create index reverse_pictures_by_word on reverse_pictures using gin (words)
  with (fastupdate = on, gin_pending_list_limit = 512) where words is not null;
-- The pictures of a scope in the order of their commits.
create index reverse_pictures_of_captures on reverse_pictures (scope_id, id) where capture_id is not null;

create table reverse_entries (
  id bigint generated always as identity,
  picture_id bigint not null references reverse_pictures on delete cascade,
  hash bit(256) not null,
  -- Left, top, right, bottom of the hashed part and of what a border encloses, in fractions of the sides.
  region real[] not null,
  frame real[] not null,
  -- A look-up among ten million entries compares some 170 hashes whole. In the index they lie closer together than in
  -- the table.
  primary key (id) include (hash)
-- Only pages that a vacuum has seen are read from the index alone.
) with (autovacuum_vacuum_insert_scale_factor = 0.02);
create index reverse_entries_by_picture on reverse_entries (picture_id);

-- Each entry's hash is cut into sixteen slots of 16 bits. Two hashes within 31 bits of each other agree within one bit in
-- at least one slot, so 17 keys a slot find them all. The records of a key lie in one row, or a few if there are many, so
-- a look-up of 272 keys reads 272 rows.
create table reverse_slots (
  -- Scope << 20 | slot << 16 | the slot's 16 bits.
  key bigint not null,
  part integer not null,
  -- Records of 14 bytes: the entry's number (6), the 64 bits of its hash that follow the slot, around the ring (8).
  records bytea not null,
  primary key (key, part)
) with (fillfactor = 70, toast_tuple_target = 8160);
-- Hashes do not compress. A row stays whole in its page.
alter table reverse_slots alter column records set storage external;

-- inspection/checks

-- Places by their address, as the geocoder answered.
create table geocodes (
  query text primary key,
  latitude double precision,
  longitude double precision,
  answered_at timestamptz not null
);

-- platform/jobs

-- Lanes and clocks of every kind of work that takes turns by account and mode.
create table turn_lanes (
  -- What takes turns here: `captures`, `slow_jobs`.
  kind text not null,
  tenant_id text not null references tenants,
  livemode boolean not null,
  class smallint not null,
  cost smallint not null,
  next_turn bigint not null,
  primary key (kind, tenant_id, livemode)
);

-- The turn of the work of each kind that was taken last. A lane that was idle starts again here.
create table turn_clocks (
  kind text primary key,
  turn bigint not null
);
insert into turn_clocks (kind, turn) values ('captures', 0), ('slow_jobs', 0);

-- Jobs that wait for a model or a text reader. A row goes with the end of its job.
create table slow_jobs (
  id bigint generated always as identity primary key,
  task text not null,
  -- The verification or the capture that the job is about.
  subject_id text not null,
  tenant_id text not null references tenants,
  livemode boolean not null,
  added_at timestamptz not null default now(),
  traceparent text,
  -- The turn of the job; 0 live, 1 test, 2 trial: the order at the same turn.
  turn bigint not null default 0,
  class smallint not null default 0,
  -- Attempts begun, including one that ended its process.
  attempts smallint not null default 0,
  -- The end of a pause, or of the claim of the node that works on it.
  due_at timestamptz not null default now()
);
create index slow_jobs_in_turn on slow_jobs (turn, class, id);
create index slow_jobs_by_subject on slow_jobs (subject_id);

-- Which workers are alive. If a worker is not, another takes its jobs at once.
create table worker_nodes (
  worker_id text primary key,
  seen_at timestamptz not null
);

-- platform/http

-- Answers kept for requests that are sent again.
create table idempotency_keys (
  scope text not null,
  -- SHA-256 of the key: it is the caller's own text and may name somebody.
  key text not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  locked_until timestamptz,
  status integer,
  body text,
  verification_id text,
  primary key (scope, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
create index idempotency_keys_by_verification on idempotency_keys (verification_id) where verification_id is not null;

-- platform/limits

-- Permits given out in sliding windows, shared by all nodes. Unlogged: after a crash the windows start anew.
create unlogged table rate_windows (
  key text primary key,
  -- Each slot: when its last permit was given (milliseconds of the epoch), and how many were.
  lasts bigint[] not null default '{}',
  counts integer[] not null default '{}',
  touched_at timestamptz not null default now()
) with (fillfactor = 50);

/*
 * Gives out permits: for each key up to `wanted`, never more than `limits` within any `windows_ms`. Callers pass keys in
 * ascending order, so that two calls cannot wait for each other in a circle. `wait_ms`: when the next permit is free, null
 * when one is. `reset_ms`: when the oldest permit counted leaves the window.
 */
create function take_permits(keys text[], wanted integer[], limits integer[], windows_ms bigint[])
returns table (granted integer, remaining integer, wait_ms bigint, reset_ms bigint)
language plpgsql as $$
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
$$;
