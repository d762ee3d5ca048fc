// Written by scripts/generate-sdk.ts from the OpenAPI document; do not edit.

import type {
  AnnouncedFilm,
  AnswersRequest,
  ApiKey,
  ApiKeyList,
  AuditEntry,
  AuditEntryList,
  Batch,
  BatchCheck,
  BatchList,
  BatchRequest,
  Brand,
  BrandInput,
  BrandList,
  BulkAct,
  BulkActList,
  BulkActRequest,
  CaptureRequest,
  Challenge,
  ChallengeRequest,
  ChatWebhook,
  ChatWebhookInput,
  ChatWebhookTest,
  CreateApiKey,
  CreateBatchQuery,
  CreateVerificationRequest,
  EndUserView,
  EvidenceKeys,
  ExportVerificationsQuery,
  FilmAnnouncement,
  FinalizeRequest,
  GetBulkActResultsQuery,
  GetCredentialQuery,
  GetPeopleDataQuery,
  GetReviewAgreementQuery,
  GetStatisticsQuery,
  Invitation,
  InvitedPerson,
  LegalHold,
  LegalHoldRequest,
  LinkTemplate,
  LinkTemplateInput,
  LinkTemplateList,
  LinkTemplateWithVersions,
  ListApiKeysQuery,
  ListAuditLogQuery,
  ListBatchesQuery,
  ListBrandsQuery,
  ListBulkActsQuery,
  ListLinkTemplatesQuery,
  ListPeopleQuery,
  ListVerificationsQuery,
  ListWebhookDeliveriesQuery,
  ListWebhookEndpointsQuery,
  MagicLinkRequest,
  Me,
  NewApiKey,
  NewPasskey,
  NextReview,
  Nothing,
  OneTimeCode,
  OneTimeCodeRedeem,
  OneTimeCodeRequest,
  Passkey,
  PasskeyAssertion,
  PasskeyOptions,
  Person,
  PersonList,
  PersonPatch,
  ProgressRequest,
  PublicView,
  RecoverRequest,
  Recovered,
  RedactRequest,
  RedactionReceipt,
  Replay,
  ReplayThresholdsQuery,
  ResendRequest,
  ResentDeliveries,
  Review,
  ReviewAgreement,
  ReviewInput,
  RotateSecretRequest,
  SessionList,
  Settings,
  SettingsPatch,
  SignInMethods,
  StartProviderSignInQuery,
  Statistics,
  StreamChangesQuery,
  StreamEventsQuery,
  SwitchTenant,
  System,
  TestEventAccepted,
  TestEventRequest,
  TokenRequest,
  Trial,
  TrialRequest,
  UploadUrlRequest,
  UploadUrlResponse,
  Verification,
  VerificationSummary,
  VerificationSummaryList,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookSecret,
} from '../api.generated.ts';
import type { Download, List, MetadataFilter, RequestOptions, ServerSentEvent } from './request.ts';

export interface VerificationsResource {
  /**
   * Create a verification.
   * The response holds a `capture_url` to send to the person with the camera. Send an `Idempotency-Key`: without one, a retry creates a second verification. `warnings` names required signals that this installation cannot evaluate. With a key for apps, the link template of the key decides everything but `metadata`, `expected_info.subject` and `expires_in_seconds`.
   */
  create(body: CreateVerificationRequest, options?: RequestOptions): Promise<Verification>;
  /**
   * List verifications, newest first.
   * To filter by metadata, add `metadata[key]=value` to the query. A filter takes several values between commas. The first page says in `total_estimate` how many verifications match.
   */
  list(query?: ListVerificationsQuery & MetadataFilter, options?: RequestOptions): List<VerificationSummary, VerificationSummaryList>;
  /**
   * Export verifications as CSV.
   * Takes the filters of the list and streams every verification that passes, newest first. A text that a spreadsheet would run (`= + - @` at its beginning) begins with an apostrophe.
   */
  export(query?: ExportVerificationsQuery, options?: RequestOptions): Promise<Download>;
  /** Get a verification with its captures */
  get(id: string, options?: RequestOptions): Promise<Verification>;
  /**
   * Cancel a verification.
   * Expires the verification and its link at once. Cancelling again changes nothing.
   */
  cancel(id: string, options?: RequestOptions): Promise<Verification>;
  /**
   * Finalize a case.
   * Runs the case analysis over all photos and the narrative, once. If it takes longer, the response is 202 without `case_analysis`. The service adds it later and sends `verification.case_completed`.
   */
  finalize(id: string, body: FinalizeRequest, options?: RequestOptions): Promise<Verification>;
  /** Get the public view of a verification */
  getPublic(id: string, options?: RequestOptions): Promise<PublicView>;
  /**
   * Delete photos and personal data.
   * Deletes everything about the person and the case, for good: photos, answers, places, free text, webhook bodies. What stays is the id, times, the steps, counts and the verdict’s label. An open verification is cancelled first. The answer is a signed receipt; redacting again gives the same one.
   */
  redact(id: string, body?: RedactRequest, options?: RequestOptions): Promise<RedactionReceipt>;
  /**
   * Get the receipt of a redaction.
   * The receipt as it was first given. 404 while the verification is not redacted.
   */
  getRedaction(id: string, options?: RequestOptions): Promise<RedactionReceipt>;
  /**
   * Place a legal hold.
   * While it is in place, redaction is 409 `on_hold` and retention passes the verification by. Placing it again replaces the reason.
   */
  placeLegalHold(id: string, body: LegalHoldRequest, options?: RequestOptions): Promise<LegalHold>;
  /**
   * Get the legal hold of a verification.
   * 404 while there is none.
   */
  getLegalHold(id: string, options?: RequestOptions): Promise<LegalHold>;
  /**
   * Lift a legal hold.
   * The body is optional; its reason goes to the audit log. Lifting again changes nothing.
   */
  liftLegalHold(id: string, body?: LegalHoldRequest, options?: RequestOptions): Promise<void>;
  /**
   * Stream changes of verifications and batches.
   * Server-sent events `changed` with `{id, livemode}`: read that verification again. Several changes of one verification may come as one. The `id` of an event is a cursor: send it back as `Last-Event-ID` or `cursor` within 15 minutes to hear of what changed meanwhile. An event `reset` says that more has changed than is remembered: load everything again.
   */
  streamChanges(query?: StreamChangesQuery, options?: RequestOptions): AsyncIterable<ServerSentEvent>;
}

export interface EvidenceResource {
  /**
   * Download the evidence bundle.
   * A zip of photos, record, verdict and proofs that anyone can check without the service. 202 while an entry of the log has no signed place yet.
   */
  download(id: string, options?: RequestOptions): Promise<Download>;
  /**
   * Download a photo with its Content Credentials.
   * The photo with an embedded C2PA manifest: how it came here, the verdict, its entries in the log. docs/evidence.md lists what is claimed when. 202 while an entry of the log has no signed place yet.
   */
  downloadCredential(id: string, captureId: string, query?: GetCredentialQuery, options?: RequestOptions): Promise<Download>;
  /**
   * List the keys that sign evidence.
   * A JWK Set. `vkey` is the key as tools for transparency logs take it. Retired keys stay listed.
   */
  keys(options?: RequestOptions): Promise<EvidenceKeys>;
}

export interface PeopleResource {
  /**
   * Export the personal data of one person.
   * Answers a request for access by a person whose data you hold. Send exactly one of `external_ref`, `email` and `phone_e164`. The zip has a folder for each verification, with photos, record, webhooks and statements; `index.json` lists them. Somebody who is unknown gets an empty index.
   */
  exportData(query?: GetPeopleDataQuery, options?: RequestOptions): Promise<Download>;
  /**
   * List the account's people, newest first.
   * Owners and the secret key see addresses and numbers; everybody else names and roles.
   */
  list(query?: ListPeopleQuery, options?: RequestOptions): List<Person, PersonList>;
  /**
   * Invite a person.
   * The person is mailed a link that signs them in once, within 7 days. Without SMTP, or with only a phone number, the answer carries it as `sign_in_url`. Somebody who signs in to another account of the deployment already proves the address or number here as well; until then nothing of theirs changes.
   */
  invite(body: Invitation, options?: RequestOptions): Promise<InvitedPerson>;
  /**
   * Change a person's role or name.
   * A changed role ends the person's sessions in the account.
   */
  update(id: string, body: PersonPatch, options?: RequestOptions): Promise<Person>;
  /**
   * Remove a person.
   * The person's sessions in the account end with this answer.
   */
  remove(id: string, options?: RequestOptions): Promise<void>;
  /** End a person's sessions in the account */
  endSessions(id: string, options?: RequestOptions): Promise<void>;
}

export interface ReviewsResource {
  /**
   * Claim the next case.
   * Returns the case that has waited longest and claims it for 10 minutes; each action on it renews the claim. No two people ever hold one case. 204: nothing waits for this person.
   */
  claimNext(body?: NextReview, options?: RequestOptions): Promise<Verification | null>;
  /**
   * Get reviewer agreement and review times.
   * Over the decisions since a moment, by default of the last 90 days. The numbers are of the whole account: none is of one person.
   */
  agreement(query?: GetReviewAgreementQuery, options?: RequestOptions): Promise<ReviewAgreement>;
  /**
   * Replay recent cases under other thresholds.
   * Judges up to 10,000 of the last completed verifications again, with other thresholds of the screen detector, and says which verdicts would be different. Changes nothing: the thresholds are settings of the deployment. Leaves out cases whose outcome `test_outcome` forced. A secret key sees live verifications unless `mode=test`.
   */
  replay(query?: ReplayThresholdsQuery, options?: RequestOptions): Promise<Replay>;
  /**
   * Claim a case.
   * Claims a case that you opened yourself for 10 minutes, or renews your claim. A verification that is not up for review becomes so.
   */
  claim(verificationId: string, options?: RequestOptions): Promise<Verification>;
  /**
   * Release a claimed case.
   * Ends your claim, so that others can take the case at once. Without a claim it changes nothing.
   */
  release(verificationId: string, options?: RequestOptions): Promise<void>;
  /**
   * Decide a case.
   * A person's decision beside the verdict, which it never changes. `approved`, `rejected` and `retake` decide; `escalated` leaves the case open for members and owners. Without a claim, the case is taken for this one decision.
   */
  add(id: string, body: ReviewInput, options?: RequestOptions): Promise<Review>;
  /**
   * Undo a review.
   * Its author may, within 10 minutes and until another person has reviewed the case. The review stays and carries `struck_at`; the case is open again, and held by its author. Taking it back again changes nothing.
   */
  undo(id: string, reviewId: string, options?: RequestOptions): Promise<void>;
}

export interface BatchesResource {
  /**
   * Create verifications from a list.
   * Send `text/csv` with a header, or JSON. CSV is UTF-8 or UTF-16, or what the `charset` of its Content-Type names. Columns: `name`, `email`, `phone_e164`, `external_ref`, `asset_ref`, `expected_location`, `expected_object`, `condition_aspects` (`;` between), `ocr_type`, `metadata.<key>`. Any fault refuses the whole batch; `dry_run` reports every fault with row and column and makes nothing. Each row gets exactly one verification, in the background.
   */
  create(body: BatchRequest | string, query?: CreateBatchQuery, options?: RequestOptions): Promise<BatchCheck | Batch>;
  /** List batches, newest first */
  list(query?: ListBatchesQuery, options?: RequestOptions): List<Batch, BatchList>;
  /** Get a batch with its progress */
  get(id: string, options?: RequestOptions): Promise<Batch>;
  /**
   * Cancel a batch.
   * Makes no more rows. Verifications that were made stay. Cancelling a batch that has ended changes nothing.
   */
  cancel(id: string, options?: RequestOptions): Promise<Batch>;
  /**
   * Download the results of a batch.
   * CSV with `row`, `id`, `capture_url` and `error`, a line for each row. A row that waits has neither. People whose role may not create verifications get no `capture_url`.
   */
  results(id: string, options?: RequestOptions): Promise<Download>;
}

export interface BulkActsResource {
  /**
   * Create a bulk action.
   * Send `ids`, or `filter` with the filters of the list: then the act reaches every verification that passes and was created before this request. It runs in the background, one verification at a time, and each gets its own line in the audit log. `redact` needs the role owner and a recent sign-in.
   */
  create(body: BulkActRequest, options?: RequestOptions): Promise<BulkAct>;
  /** List bulk actions, newest first */
  list(query?: ListBulkActsQuery, options?: RequestOptions): List<BulkAct, BulkActList>;
  /** Get a bulk action with its progress */
  get(id: string, options?: RequestOptions): Promise<BulkAct>;
  /**
   * Cancel a bulk action.
   * Leaves the verifications alone that were not reached. What was done stays done. Stopping again changes nothing.
   */
  cancel(id: string, options?: RequestOptions): Promise<BulkAct>;
  /**
   * Download the results of a bulk action.
   * CSV with `id`, `result` (`done`, `failed`, `waiting`, or `not_done` after the act was stopped), `error` (a code of the API, for `failed`) and `created_id` (the verification that `reissue` made).
   */
  results(id: string, query?: GetBulkActResultsQuery, options?: RequestOptions): Promise<Download>;
}

export interface CapturesResource {
  /**
   * Get what the capture page needs.
   * Works for closed verifications too: `status` tells the page which screen to show.
   */
  getSession(token: string, options?: RequestOptions): Promise<EndUserView>;
  /**
   * Get the moves of a camera session.
   * For an image step of a verification that requires `depth`. Film while the person makes the moves, upload the film as a trace and send `challenge_id`, `trace_key` and `trace_sha256` with the photo. A challenge works for one photo of this step; asking again ends the one before.
   */
  createChallenge(token: string, body: ChallengeRequest, options?: RequestOptions): Promise<Challenge>;
  /**
   * Announce the film of a camera session.
   * Sends the hashes of photo and film as soon as both are made, before the bytes. The service notes the time by its own clock: a film that it hears of after `expires_at` counts as late. The first announcement of a challenge counts; repeat it as often as you need.
   */
  announceFilm(token: string, body: FilmAnnouncement, options?: RequestOptions): Promise<AnnouncedFilm>;
  /**
   * Get an upload URL for one picture or trace.
   * Send the raw bytes with PUT and the returned headers. The URL works once, for five minutes, and only for this content type. A trace has the content type `application/vnd.firsthand.trace` and at most 1500000 bytes.
   */
  createUploadUrl(token: string, body: UploadUrlRequest, options?: RequestOptions): Promise<UploadUrlResponse>;
  /**
   * Submit a photo.
   * Send the picture inline as base64 (up to 6 MB), or name a finished upload by its `image_key`.
   */
  submit(token: string, body: CaptureRequest, options?: RequestOptions): Promise<EndUserView>;
  /**
   * Answer text steps.
   * You can replace an answer until the verification is completed.
   */
  submitAnswers(token: string, body: AnswersRequest, options?: RequestOptions): Promise<EndUserView>;
  /**
   * Report progress on the capture page.
   * Each report replaces the previous one. Send `abandoned: true` when the person leaves before finishing.
   */
  reportProgress(token: string, body: ProgressRequest, options?: RequestOptions): Promise<void>;
}

export interface TrialsResource {
  /**
   * Create a trial verification, without an account.
   * A trial has one step and lasts ten minutes. Each IP address may create ten per hour.
   */
  create(body: TrialRequest, options?: RequestOptions): Promise<Trial>;
  /** Get the result of a trial */
  get(id: string, options?: RequestOptions): Promise<Trial>;
}

export interface ApiKeysResource {
  /**
   * Create a publishable key.
   * A key with `scopes` is for apps: it creates verifications from one link template, and lists and reads nothing. Only this response shows the key. A retry with the same `Idempotency-Key` creates no second key and does not repeat it. If you lost the response, revoke the key and create another.
   */
  create(body: CreateApiKey, options?: RequestOptions): Promise<NewApiKey>;
  /** List active keys, newest first */
  list(query?: ListApiKeysQuery, options?: RequestOptions): List<ApiKey, ApiKeyList>;
  /** Get a key, without the key itself */
  get(id: string, options?: RequestOptions): Promise<ApiKey>;
  /**
   * Revoke a key.
   * After this response every node rejects the key. You cannot undo this.
   */
  revoke(id: string, options?: RequestOptions): Promise<void>;
}

export interface SettingsResource {
  /** Get the settings */
  get(options?: RequestOptions): Promise<Settings>;
  /**
   * Change settings.
   * Settings you leave out stay as they are. A change applies to verifications created later, of the review settings to those that end later, and of `allowed_origins` to every link at once.
   */
  update(body: SettingsPatch, options?: RequestOptions): Promise<Settings>;
}

export interface ChatWebhookResource {
  /**
   * Get the chat webhook.
   * Whether there is one, and its host. No answer shows its path, which is a secret.
   */
  get(options?: RequestOptions): Promise<ChatWebhook>;
  /**
   * Set the chat webhook.
   * The chat gets a message when a verdict is `suspicious` or `failed`, and when a verification fails. A message that is not taken is retried for hours.
   */
  put(body: ChatWebhookInput, options?: RequestOptions): Promise<ChatWebhook>;
  /** Remove the chat webhook */
  delete(options?: RequestOptions): Promise<void>;
  /**
   * Send a test message to the chat.
   * Posts once, now, and answers with what the chat said.
   */
  test(options?: RequestOptions): Promise<ChatWebhookTest>;
}

export interface BrandsResource {
  /**
   * Create or replace a brand.
   * Colors, origins and a return address that you leave out are removed. A logo you leave out stays, because no response repeats its bytes; send `null` to remove it. Logos are converted to PNG of at most 512×512 pixels. `worn_colors` holds the colors the pages use: an accent with too little contrast (WCAG AA) is made darker or lighter.
   */
  put(slug: string, body: BrandInput, options?: RequestOptions): Promise<Brand>;
  /** Get a brand */
  get(slug: string, options?: RequestOptions): Promise<Brand>;
  /**
   * Delete a brand.
   * Verifications with this brand then show the default brand.
   */
  delete(slug: string, options?: RequestOptions): Promise<void>;
  /** List brands, newest first */
  list(query?: ListBrandsQuery, options?: RequestOptions): List<Brand, BrandList>;
  /**
   * Get a brand's logo.
   * Returns a PNG. The URL always returns the same picture. A new logo gets a new URL.
   */
  getLogo(name: string, options?: RequestOptions): Promise<Download>;
}

export interface LinkTemplatesResource {
  /**
   * Create a link template.
   * Each person who opens the `url` gets a verification of their own, made from the current version. A template that a secret key creates makes live verifications.
   */
  create(body: LinkTemplateInput, options?: RequestOptions): Promise<LinkTemplate>;
  /** List link templates, newest first */
  list(query?: ListLinkTemplatesQuery, options?: RequestOptions): List<LinkTemplate, LinkTemplateList>;
  /**
   * Publish a new version of a link template.
   * The URL stays the same. Verifications made earlier keep their version. A `webhook_url` that you send as it was shown, with `***` for its secret, keeps the secret of the version before.
   */
  update(id: string, body: LinkTemplateInput, options?: RequestOptions): Promise<LinkTemplate>;
  /** Get a link template with all its versions */
  get(id: string, options?: RequestOptions): Promise<LinkTemplateWithVersions>;
  /**
   * Revoke a link template.
   * The URL makes no more verifications and shows a page that says so. Verifications made earlier continue. Revoking again changes nothing.
   */
  revoke(id: string, options?: RequestOptions): Promise<LinkTemplate>;
}

export interface StatisticsResource {
  /**
   * Count verifications over time.
   * Every count is of the verifications that were created in the bucket, whenever the rest happened, so recent buckets still change. Buckets follow UTC and weeks begin on Monday; the bucket that holds `from` counts whole. Without `from`: the last 24 hours, 30 days or 26 weeks. Seconds to capture and to verdict run from the creation, seconds to review from the moment the case was open for review. A secret key sees live verifications unless `mode=test`.
   */
  get(query?: GetStatisticsQuery, options?: RequestOptions): Promise<Statistics>;
}

export interface AuditLogResource {
  /** List the audit log, newest first */
  list(query?: ListAuditLogQuery, options?: RequestOptions): List<AuditEntry, AuditEntryList>;
}

export interface SystemResource {
  /**
   * Get the state of the installation.
   * What is configured, and what each missing part costs. `firsthand doctor` says the same with names of folders and servers; it also asks the vision model a question and computes every seal.
   */
  get(options?: RequestOptions): Promise<System>;
}

export interface WebhooksResource {
  /**
   * List webhook deliveries, newest first.
   * Each delivery lists its attempts, with the first 1 kB of each response.
   */
  listDeliveries(query?: ListWebhookDeliveriesQuery, options?: RequestOptions): List<WebhookDelivery, WebhookDeliveryList>;
  /**
   * Send a delivery again now.
   * Sends the delivery again, whatever its status, with the same `webhook-id`. A disabled endpoint gets one attempt; if it succeeds, the endpoint is enabled again.
   */
  retryDelivery(id: string, options?: RequestOptions): Promise<WebhookDelivery>;
  /**
   * Send failed deliveries again.
   * Sends every failed delivery created at or after `since`, to one `url` or to all, including those that a disabled endpoint missed. Enable the endpoint first: deliveries to a disabled endpoint stay failed.
   */
  recoverDeliveries(body: RecoverRequest, options?: RequestOptions): Promise<Recovered>;
  /** List webhook endpoints, newest first */
  listEndpoints(query?: ListWebhookEndpointsQuery, options?: RequestOptions): List<WebhookEndpoint, WebhookEndpointList>;
  /**
   * Enable a disabled endpoint.
   * The endpoint gets new events from now on. To send the events it missed, call `POST /v1/webhook-deliveries/recover`.
   */
  enableEndpoint(id: string, options?: RequestOptions): Promise<WebhookEndpoint>;
  /**
   * Send a test event to a URL.
   * Sends a signed `webhook.test` and retries it like any other event. The delivery shows each attempt.
   */
  sendTest(body: TestEventRequest, options?: RequestOptions): Promise<TestEventAccepted>;
  /** Get the secret that signs webhooks */
  getSecret(options?: RequestOptions): Promise<WebhookSecret>;
  /**
   * Rotate the webhook secret.
   * Webhooks carry signatures of both the old and the new secret for `overlap_seconds`, so you can update receivers without downtime. A retry with the same `Idempotency-Key` rotates nothing and does not repeat the secrets: get them with `GET /v1/webhook-secret`.
   */
  rotateSecret(body?: RotateSecretRequest, options?: RequestOptions): Promise<WebhookSecret>;
}

export interface EventsResource {
  /**
   * Send an event again.
   * Sends the event to every URL it went to, or only to `url`, with the same `webhook-id`.
   */
  resend(id: string, body?: ResendRequest, options?: RequestOptions): Promise<ResentDeliveries>;
  /**
   * Follow the account's events.
   * Streams one server-sent event for each webhook, even without a webhook URL. `data` is `{id, type, livemode, body}`, where `body` is the exact text of the webhook. The `id` of each event is a cursor: send it back as `Last-Event-ID` or `cursor` to continue after it without a gap. Without a cursor the stream begins now.
   */
  stream(query?: StreamEventsQuery, options?: RequestOptions): AsyncIterable<ServerSentEvent>;
}

export interface SignInResource {
  /** List the sign-in methods */
  methods(options?: RequestOptions): Promise<SignInMethods>;
  /**
   * Start the sign-in with an identity provider.
   * Sends the browser to the provider. `return_to` is a path of this origin; anything else is ignored.
   */
  startProvider(provider: string, query?: StartProviderSignInQuery, options?: RequestOptions): Promise<void>;
  /**
   * Finish the sign-in with an identity provider.
   * Where the provider sends the browser. Sets the session cookie and goes on to `return_to`; with any fault it goes to `/dashboard/sign-in?error=<code>` and opens no session.
   */
  finishProvider(provider: string, options?: RequestOptions): Promise<void>;
  /**
   * Ask for a sign-in link by e-mail.
   * The answer is the same whether or not anybody has this address. The link works once, for 10 minutes.
   */
  requestMagicLink(body: MagicLinkRequest, options?: RequestOptions): Promise<Nothing>;
  /**
   * Sign in with the token of a link.
   * Takes the tokens of mailed links and of invitations. Opening a link uses nothing up; this does.
   */
  redeemMagicLink(body: TokenRequest, options?: RequestOptions): Promise<Me>;
  /**
   * Ask for a sign-in code by message.
   * The answer is the same whether or not anybody has this number.
   */
  requestOneTimeCode(body: OneTimeCodeRequest, options?: RequestOptions): Promise<OneTimeCode>;
  /**
   * Sign in with a code.
   * Five tries, within 10 minutes; then the code is dead.
   */
  redeemOneTimeCode(body: OneTimeCodeRedeem, options?: RequestOptions): Promise<Me>;
  /**
   * Begin to sign in with a passkey.
   * Answers `PublicKeyCredentialRequestOptionsJSON`, for `navigator.credentials.get`. It names no passkey: the browser offers those it has.
   */
  createPasskeyOptions(body?: Nothing, options?: RequestOptions): Promise<PasskeyOptions>;
  /**
   * Sign in with a passkey.
   * The body is the `AuthenticationResponseJSON` of the browser.
   */
  withPasskey(body: PasskeyAssertion, options?: RequestOptions): Promise<Me>;
  /**
   * Sign in with the link of the first start.
   * Takes the token of `dashboard_url` in first-run.json, and of `firsthand sign-in-link`. Once, within 24 hours.
   */
  redeemFirstRunLink(body: TokenRequest, options?: RequestOptions): Promise<Me>;
  /**
   * Sign out.
   * The session ends on every node, and the cookie is taken back.
   */
  signOut(body?: Nothing, options?: RequestOptions): Promise<void>;
}

export interface MeResource {
  /** Get the signed-in person */
  get(options?: RequestOptions): Promise<Me>;
  /**
   * Switch to another account, or between live and test.
   * Holds for this session, and for where the next one begins. Switching to an account of `invitations` accepts the invitation.
   */
  switchTenant(body: SwitchTenant, options?: RequestOptions): Promise<Me>;
  /**
   * Begin to add a passkey.
   * Answers `PublicKeyCredentialCreationOptionsJSON`, for `navigator.credentials.create`.
   */
  createPasskeyOptions(body?: Nothing, options?: RequestOptions): Promise<PasskeyOptions>;
  /**
   * Add a passkey.
   * `response` is the `RegistrationResponseJSON` of the browser. The passkey opens the accounts that this session opens, without invitations that wait.
   */
  addPasskey(body: NewPasskey, options?: RequestOptions): Promise<Passkey>;
  /**
   * Remove a passkey.
   * It opens no account of this session from this answer on, and ends altogether if it opens no other. Sessions it opened go on.
   */
  deletePasskey(id: string, options?: RequestOptions): Promise<void>;
  /** List my sessions, newest first */
  listSessions(options?: RequestOptions): Promise<SessionList>;
  /** End all my sessions but this one */
  endOtherSessions(options?: RequestOptions): Promise<void>;
  /** End one of my sessions */
  endSession(id: string, options?: RequestOptions): Promise<void>;
}

/** Every resource, as the constructor gets it. */
export interface Resources {
  verifications: VerificationsResource;
  evidence: EvidenceResource;
  people: PeopleResource;
  reviews: ReviewsResource;
  batches: BatchesResource;
  bulkActs: BulkActsResource;
  captures: CapturesResource;
  trials: TrialsResource;
  apiKeys: ApiKeysResource;
  settings: SettingsResource;
  chatWebhook: ChatWebhookResource;
  brands: BrandsResource;
  linkTemplates: LinkTemplatesResource;
  statistics: StatisticsResource;
  auditLog: AuditLogResource;
  system: SystemResource;
  webhooks: WebhooksResource;
  events: EventsResource;
  signIn: SignInResource;
  me: MeResource;
}

/** The API by resource. */
export class Api {
  declare readonly verifications: VerificationsResource;
  declare readonly evidence: EvidenceResource;
  declare readonly people: PeopleResource;
  declare readonly reviews: ReviewsResource;
  declare readonly batches: BatchesResource;
  declare readonly bulkActs: BulkActsResource;
  declare readonly captures: CapturesResource;
  declare readonly trials: TrialsResource;
  declare readonly apiKeys: ApiKeysResource;
  declare readonly settings: SettingsResource;
  declare readonly chatWebhook: ChatWebhookResource;
  declare readonly brands: BrandsResource;
  declare readonly linkTemplates: LinkTemplatesResource;
  declare readonly statistics: StatisticsResource;
  declare readonly auditLog: AuditLogResource;
  declare readonly system: SystemResource;
  declare readonly webhooks: WebhooksResource;
  declare readonly events: EventsResource;
  declare readonly signIn: SignInResource;
  declare readonly me: MeResource;

  constructor(resources: Resources) {
    Object.assign(this, resources);
  }
}

/** Each method as `METHOD path kind`; see scripts/generate-sdk.ts. */
export const OPERATIONS: Readonly<Record<keyof Resources, Readonly<Record<string, string>>>> = {
  verifications: {
    create: 'POST /v1/verifications jb',
    list: 'GET /v1/verifications pq',
    export: 'GET /v1/verifications/export dq',
    get: 'GET /v1/verifications/{id} j',
    cancel: 'POST /v1/verifications/{id}/cancel j',
    finalize: 'POST /v1/verifications/{id}/finalize jb',
    getPublic: 'GET /v1/verifications/{id}/public j',
    redact: 'POST /v1/verifications/{id}/redact jb',
    getRedaction: 'GET /v1/verifications/{id}/redaction j',
    placeLegalHold: 'PUT /v1/verifications/{id}/legal-hold jb',
    getLegalHold: 'GET /v1/verifications/{id}/legal-hold j',
    liftLegalHold: 'DELETE /v1/verifications/{id}/legal-hold nb',
    streamChanges: 'GET /v1/changes/stream eq',
  },
  evidence: {
    download: 'GET /v1/verifications/{id}/evidence d',
    downloadCredential: 'GET /v1/verifications/{id}/captures/{capture_id}/credential dq',
    keys: 'GET /v1/evidence-keys j',
  },
  people: {
    exportData: 'GET /v1/people-data dq',
    list: 'GET /v1/people pq',
    invite: 'POST /v1/people jb',
    update: 'PATCH /v1/people/{id} jb',
    remove: 'DELETE /v1/people/{id} n',
    endSessions: 'DELETE /v1/people/{id}/sessions n',
  },
  reviews: {
    claimNext: 'POST /v1/reviews/next jb',
    agreement: 'GET /v1/reviews/agreement jq',
    replay: 'GET /v1/reviews/replay jq',
    claim: 'POST /v1/reviews/{verification_id}/claim j',
    release: 'POST /v1/reviews/{verification_id}/release n',
    add: 'POST /v1/verifications/{id}/reviews jb',
    undo: 'DELETE /v1/verifications/{id}/reviews/{review_id} n',
  },
  batches: {
    create: 'POST /v1/batches jbq',
    list: 'GET /v1/batches pq',
    get: 'GET /v1/batches/{id} j',
    cancel: 'POST /v1/batches/{id}/cancel j',
    results: 'GET /v1/batches/{id}/results d',
  },
  bulkActs: {
    create: 'POST /v1/bulk-acts jb',
    list: 'GET /v1/bulk-acts pq',
    get: 'GET /v1/bulk-acts/{id} j',
    cancel: 'POST /v1/bulk-acts/{id}/cancel j',
    results: 'GET /v1/bulk-acts/{id}/results dq',
  },
  captures: {
    getSession: 'GET /v1/verify/{token} j',
    createChallenge: 'POST /v1/verifications/{token}/challenges jb',
    announceFilm: 'POST /v1/verifications/{token}/films jb',
    createUploadUrl: 'POST /v1/verifications/{token}/captures/upload-url jb',
    submit: 'POST /v1/verifications/{token}/captures jb',
    submitAnswers: 'POST /v1/verifications/{token}/answers jb',
    reportProgress: 'POST /v1/verifications/{token}/progress nb',
  },
  trials: {
    create: 'POST /v1/trial/verifications jb',
    get: 'GET /v1/trial/verifications/{id} j',
  },
  apiKeys: {
    create: 'POST /v1/api-keys jb',
    list: 'GET /v1/api-keys pq',
    get: 'GET /v1/api-keys/{id} j',
    revoke: 'DELETE /v1/api-keys/{id} n',
  },
  settings: {
    get: 'GET /v1/settings j',
    update: 'PATCH /v1/settings jb',
  },
  chatWebhook: {
    get: 'GET /v1/chat-webhook j',
    put: 'PUT /v1/chat-webhook jb',
    delete: 'DELETE /v1/chat-webhook n',
    test: 'POST /v1/chat-webhook/test j',
  },
  brands: {
    put: 'PUT /v1/brands/{slug} jb',
    get: 'GET /v1/brands/{slug} j',
    delete: 'DELETE /v1/brands/{slug} n',
    list: 'GET /v1/brands pq',
    getLogo: 'GET /brand-logos/{name} d',
  },
  linkTemplates: {
    create: 'POST /v1/link-templates jb',
    list: 'GET /v1/link-templates pq',
    update: 'PUT /v1/link-templates/{id} jb',
    get: 'GET /v1/link-templates/{id} j',
    revoke: 'POST /v1/link-templates/{id}/revoke j',
  },
  statistics: {
    get: 'GET /v1/statistics jq',
  },
  auditLog: {
    list: 'GET /v1/audit-log pq',
  },
  system: {
    get: 'GET /v1/system j',
  },
  webhooks: {
    listDeliveries: 'GET /v1/webhook-deliveries pq',
    retryDelivery: 'POST /v1/webhook-deliveries/{id}/retry j',
    recoverDeliveries: 'POST /v1/webhook-deliveries/recover jb',
    listEndpoints: 'GET /v1/webhook-endpoints pq',
    enableEndpoint: 'POST /v1/webhook-endpoints/{id}/enable j',
    sendTest: 'POST /v1/webhooks/test jb',
    getSecret: 'GET /v1/webhook-secret j',
    rotateSecret: 'POST /v1/webhook-secret/rotate jb',
  },
  events: {
    resend: 'POST /v1/events/{id}/resend jb',
    stream: 'GET /v1/events/stream eq',
  },
  signIn: {
    methods: 'GET /v1/auth/methods j',
    startProvider: 'GET /v1/auth/{provider}/start nq',
    finishProvider: 'GET /v1/auth/{provider}/callback n',
    requestMagicLink: 'POST /v1/auth/magic-link jb',
    redeemMagicLink: 'POST /v1/auth/magic-link/redeem jb',
    requestOneTimeCode: 'POST /v1/auth/one-time-code jb',
    redeemOneTimeCode: 'POST /v1/auth/one-time-code/redeem jb',
    createPasskeyOptions: 'POST /v1/auth/passkey/options jb',
    withPasskey: 'POST /v1/auth/passkey/redeem jb',
    redeemFirstRunLink: 'POST /v1/auth/first-run jb',
    signOut: 'POST /v1/auth/sign-out nb',
  },
  me: {
    get: 'GET /v1/me j',
    switchTenant: 'POST /v1/me/tenant jb',
    createPasskeyOptions: 'POST /v1/me/passkeys/options jb',
    addPasskey: 'POST /v1/me/passkeys jb',
    deletePasskey: 'DELETE /v1/me/passkeys/{id} n',
    listSessions: 'GET /v1/me/sessions j',
    endOtherSessions: 'DELETE /v1/me/sessions n',
    endSession: 'DELETE /v1/me/sessions/{id} n',
  },
};
