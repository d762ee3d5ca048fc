# Written by scripts/generate-python.ts from the OpenAPI document; do not edit.

"""The bodies of requests and answers, as dicts."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Union

from ._typing import NotRequired


class Actor(TypedDict):
    kind: ActorKind
    id: NotRequired[str]


class AnnouncedFilm(TypedDict):
    challenge_id: str
    announced_at: str
    """ISO 8601, UTC"""


class Answer(TypedDict):
    value: str
    answered_at: str
    """ISO 8601, UTC"""


class AnswersRequest(TypedDict):
    answers: dict[str, str]


class ApiKey(TypedDict):
    id: str
    name: str
    kind: ApiKeyKind
    livemode: NotRequired[bool]
    """absent on a secret key, which works in both modes"""
    scopes: NotRequired[list[KeyScope]]
    """limits the key to these actions: `create` creates verifications, `capture` is the capture flow of each. A key with scopes lists and reads nothing: put such a key into apps. It needs a `template_id`. Absent: every action of a publishable key"""
    template_id: NotRequired[str]
    """the link template that a key with scopes creates verifications from. It decides what is checked, who is told and what the page shows. Required with `scopes`"""
    prefix: str
    """the first characters of the key, to recognise it by"""
    created_at: str
    """ISO 8601, UTC"""
    last_used_at: NotRequired[str]
    """ISO 8601, UTC"""


class ApiKeyList(TypedDict):
    data: list[ApiKey]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class AspectScore(TypedDict):
    name: str
    score: float
    reasoning: str


class Attestation(TypedDict):
    verdict: AttestationVerdict
    provider: str
    """`turnstile`, `app_attest`, `play_integrity`, or `unknown` for a token in an unknown format"""
    detail: NotRequired[str]
    """why the result is an error"""
    checked_at: str
    """ISO 8601, UTC"""


class AuditEntry(TypedDict):
    id: str
    action: str
    """such as `api_key.created`"""
    actor: Actor
    target: NotRequired[str]
    """id or slug of the changed object"""
    detail: dict[str, Any]
    request_id: NotRequired[str]
    address: NotRequired[str]
    """IP address it came from"""
    device: NotRequired[str]
    """in words, such as `Chrome on Windows`"""
    created_at: str
    """ISO 8601, UTC"""


class AuditEntryList(TypedDict):
    data: list[AuditEntry]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class Batch(TypedDict):
    id: str
    state: BatchState
    total: int
    """rows"""
    created: int
    """rows that have their verification"""
    failed: int
    """rows that could not get one"""
    send: bool
    """people with an e-mail address get their link by mail"""
    template_id: NotRequired[str]
    livemode: bool
    created_at: str
    """ISO 8601, UTC"""
    ended_at: NotRequired[str]
    """ISO 8601, UTC"""
    stopped: NotRequired[Stopped]
    """why the service cancelled it: `not_allowed` when the person who started it lost the role for it, or the key was revoked"""
    warnings: NotRequired[list[CreationWarning]]
    """in the answer that creates the batch: required signals that this installation cannot evaluate"""


class BatchCheck(TypedDict):
    total: int
    faults: list[BatchFault]
    preview: list[CreateVerificationRequest]
    warnings: NotRequired[list[CreationWarning]]
    """for every row: required signals that this installation cannot evaluate"""


class BatchFault(TypedDict):
    row: int
    """as a spreadsheet counts: the header of a CSV is row 1; JSON rows begin at 1"""
    column: str
    """empty: the whole row"""
    message: str
    """in English, for people; it may change"""
    code: Union[FaultCode, str]
    """Branch on it. Later versions may add codes: treat an unknown one as `invalid`."""
    params: NotRequired[dict[str, Union[str, float, bool, list[str]]]]
    """what the code needs to be told in words, such as the bound that was broken"""


class BatchList(TypedDict):
    data: list[Batch]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class BatchRequest(TypedDict):
    template_id: NotRequired[str]
    request: NotRequired[TemplateRequest]
    rows: list[BatchRow]


class BlindSample(TypedDict):
    decided: int
    approved: int


class Brand(TypedDict):
    slug: str
    """The short name of a brand"""
    name: str
    logo_url: NotRequired[str]
    colors: NotRequired[Colors]
    worn_colors: NotRequired[WornColors]
    """the colors the pages use, with the accent made legible"""
    allowed_origins: NotRequired[list[str]]
    """for links that wear this brand, besides the account's `allowed_origins`"""
    return_url: NotRequired[str]
    """where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand"""
    created_at: str
    """ISO 8601, UTC"""
    updated_at: str
    """ISO 8601, UTC"""


class BrandInput(TypedDict):
    name: str
    logo_base64: NotRequired[Union[str, None]]
    """JPEG, PNG or WebP of at most 1048576 bytes"""
    colors: NotRequired[Colors]
    allowed_origins: NotRequired[list[str]]
    """for links that wear this brand, besides the account's `allowed_origins`"""
    return_url: NotRequired[str]
    """where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand"""


class BrandList(TypedDict):
    data: list[Brand]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class BrandView(TypedDict):
    slug: str
    name: str
    logo_url: NotRequired[str]
    colors: NotRequired[BrandViewColors]


class BrandViewColors(TypedDict):
    accent: str
    background: NotRequired[str]


class BulkAct(TypedDict):
    id: str
    act: BulkActName
    """`cancel` ends open links. `resend` sends the newest event of each verification again, to every URL it went to. `reissue` asks the same person for the same photos with a new link. `review` puts ended cases into the review queue. `redact` deletes photos and personal data for good."""
    state: BulkActState
    """`collecting`: the verifications of the filter are being listed, and `total` still grows"""
    total: int
    """verifications"""
    done: int
    failed: int
    """verifications that refused the act; the results say why"""
    created_at: str
    """ISO 8601, UTC"""
    ended_at: NotRequired[str]
    """ISO 8601, UTC"""
    stopped: NotRequired[Stopped]
    """why the service cancelled it: `not_allowed` when the person who started it lost the role for it, or the key was revoked"""


class BulkActList(TypedDict):
    data: list[BulkAct]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class BulkActRequest(TypedDict):
    act: BulkActName
    """`cancel` ends open links. `resend` sends the newest event of each verification again, to every URL it went to. `reissue` asks the same person for the same photos with a new link. `review` puts ended cases into the review queue. `redact` deletes photos and personal data for good."""
    ids: NotRequired[list[str]]
    """the verifications; or send `filter`"""
    filter: NotRequired[BulkFilter]
    send: NotRequired[bool]
    """`reissue` only: mail each person with an e-mail address their link. Default: false."""
    reason: NotRequired[str]
    """no personal data: it stays"""


class BulkFilter(TypedDict):
    status: NotRequired[list[Status]]
    verdict: NotRequired[list[VerdictLabel]]
    template_id: NotRequired[list[str]]
    review: NotRequired[list[ReviewState]]
    brand_slug: NotRequired[list[str]]
    created_after: NotRequired[str]
    """ISO 8601, UTC"""
    created_before: NotRequired[str]
    """ISO 8601, UTC"""
    external_ref: NotRequired[str]
    q: NotRequired[str]
    metadata: NotRequired[dict[str, str]]
    """Your own keys and values. Every read and every webhook repeats them."""


class Capture(TypedDict):
    id: str
    step_key: str
    source: CaptureSource
    surface: NotRequired[str]
    content_type: str
    size_bytes: int
    """of the original file"""
    width: int
    """pixels"""
    height: int
    """pixels"""
    sha256: str
    created_at: str
    """ISO 8601, UTC"""
    client_captured_at: NotRequired[str]
    """ISO 8601, UTC"""
    image_url: NotRequired[str]
    """presigned URL, valid for 1 hour"""
    preview_url: NotRequired[str]
    """presigned URL, valid for 1 hour"""
    display_url: NotRequired[str]
    """presigned URL, valid for 1 hour: all pixels as JPEG, where most browsers cannot show `content_type`; above 24 megapixels at half the size"""
    second_frame_url: NotRequired[str]
    """presigned URL, valid for 1 hour: the photo after a small sideways move"""
    explanation: NotRequired[Explanation]
    """for people who sign in; keys and webhooks get none"""
    attestation: NotRequired[Attestation]
    location: NotRequired[GeoPoint]
    location_source: NotRequired[LocationSource]
    """`app`: the photo came with a passed attestation of an app. `page`: the request has the headers that a browser sends from the capture page; a program can send the same. `program`: anything else."""
    location_match: NotRequired[CaptureLocationMatch]
    signals: NotRequired[CaptureSignals]
    metadata: NotRequired[dict[str, Any]]
    """camera, time and place as the file states them"""
    context: NotRequired[ContextCheck]
    presence: NotRequired[Presence]
    text: NotRequired[dict[str, Any]]
    """text read for ocr_type"""


class CaptureAiDetection(TypedDict):
    label: AiLabel
    confidence: float
    band: NotRequired[Band]
    evaluated: NotRequired[bool]
    """false if the signal could not be evaluated"""
    reason: NotRequired[Unanswered]
    """why the signal could not be evaluated"""


class CaptureAssessment(TypedDict):
    capture_id: str
    ai: AiRisk
    screen: bool


class CaptureConfig(TypedDict):
    max_captures: int
    steps: list[Step]
    signals_required: list[SignalName]


class CaptureDepth(TypedDict):
    source: str
    confidence: float
    band: NotRequired[Band]
    evaluated: NotRequired[bool]
    """false if the signal could not be evaluated"""
    reason: NotRequired[Unanswered]
    """why the signal could not be evaluated"""


class CaptureLocationMatch(TypedDict):
    result: LocationResult
    distance_m: NotRequired[float]
    tolerance_m: NotRequired[float]
    source: NotRequired[LocationSource]
    """`app`: the photo came with a passed attestation of an app. `page`: the request has the headers that a browser sends from the capture page; a program can send the same. `program`: anything else."""
    exif_distance_m: NotRequired[float]
    """from the expected place to the position in the file"""


class CaptureRequest(TypedDict):
    image_base64: NotRequired[str]
    image_key: NotRequired[str]
    image_sha256: NotRequired[str]
    step_key: NotRequired[str]
    surface: NotRequired[str]
    client_captured_at: NotRequired[str]
    """ISO 8601, UTC"""
    location: NotRequired[GeoPoint]
    motion_frame_base64: NotRequired[str]
    motion_frame_key: NotRequired[str]
    attestation_token: NotRequired[str]
    """A Turnstile token as it is, or an envelope as JSON text: {"provider":"app_attest","key_id","attestation"}, {"provider":"app_attest","key_id","assertion"} or {"provider":"play_integrity","token"}, binary members in base64. Apps have the SHA-256 of "<verification id>.<SHA-256 of the picture, lowercase hex>" vouched for: as clientDataHash, or in URL-safe base64 without padding as requestHash or nonce."""
    challenge_id: NotRequired[str]
    trace_key: NotRequired[str]
    """the `image_key` under which the trace was uploaded"""
    trace_sha256: NotRequired[str]


class CaptureRequirements(TypedDict):
    location: bool
    """ask for the location with the first photo"""
    motion_frame: bool
    """take a second photo after a small sideways move"""


class CaptureReverseSearch(TypedDict):
    found_online: bool
    match_count: int
    band: NotRequired[Band]
    evaluated: NotRequired[bool]
    """false if the signal could not be evaluated"""
    reason: NotRequired[Unanswered]
    """why the signal could not be evaluated"""


class CaptureScreenDetection(TypedDict):
    screen_detected: bool
    confidence: float
    band: NotRequired[Band]
    evaluated: NotRequired[bool]
    """false if the signal could not be evaluated"""
    reason: NotRequired[Unanswered]
    """why the signal could not be evaluated"""


class CaptureSignals(TypedDict):
    screen_detection: NotRequired[Union[CaptureScreenDetection, NotApplicable]]
    ai_detection: NotRequired[Union[CaptureAiDetection, NotApplicable]]
    reverse_search: NotRequired[Union[CaptureReverseSearch, NotApplicable]]
    depth: NotRequired[Union[CaptureDepth, NotApplicable]]


class CaseAnalysis(TypedDict):
    overall_risk_score: float
    confidence: float
    dimensions: CaseDimensions
    review_priority: ReviewPriority
    uncertainty_areas: list[str]
    model: str
    rubric_version: NotRequired[int]
    consistency_level: NotRequired[float]
    analysis: NotRequired[list[CaptureAssessment]]
    text_analysis: NotRequired[str]


class CaseDimensions(TypedDict):
    cross_image_consistency: Dimension
    physical_plausibility: Dimension
    narrative_image_match: NotRequired[Dimension]


class Challenge(TypedDict):
    challenge_id: str
    moves: list[Move]
    """make them one after the other"""
    issued_at: str
    """ISO 8601, UTC. Count the trace's `began_at` from this time, so that the phone's clock does not matter."""
    expires_at: str
    """ISO 8601, UTC. Make the film and announce it before this time."""


class ChallengeRequest(TypedDict):
    step_key: str


class ChatWebhook(TypedDict):
    configured: bool
    host: NotRequired[str]
    updated_at: NotRequired[str]
    """ISO 8601, UTC"""


class ChatWebhookInput(TypedDict):
    url: str
    """an incoming webhook of Slack, or of a chat that takes the same (Mattermost, Rocket.Chat, Zulip)"""


class ChatWebhookTest(TypedDict):
    delivered: bool
    status_code: NotRequired[int]
    """absent when no answer came"""
    answer: NotRequired[str]
    """its first characters"""


class Colors(TypedDict):
    accent: str
    """#rrggbb"""
    background: NotRequired[str]
    """#rrggbb"""


class Condition(TypedDict):
    score: float
    label: ConditionLabel
    aspects: list[AspectScore]


class Config(TypedDict):
    max_captures: int
    steps: list[Step]
    signals_required: list[SignalName]
    mode: NotRequired[VerificationMode]
    context: NotRequired[Context]
    webhook_url: NotRequired[str]
    notify_email: NotRequired[Union[str, None]]
    metadata: NotRequired[dict[str, str]]
    """Your own keys and values. Every read and every webhook repeats them."""
    expected_location: NotRequired[str]
    expected_object: NotRequired[str]
    condition_aspects: NotRequired[list[str]]
    depth_policy: NotRequired[DepthPolicy]
    """where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes"""


class Context(TypedDict):
    kind: str
    summary: str
    attributes: NotRequired[dict[str, Union[str, float, bool]]]


class ContextCheck(TypedDict):
    evaluated: bool
    band: NotRequired[Band]
    plausible: NotRequired[Plausibility]
    probability: NotRequired[float]
    reasoning: NotRequired[str]
    instructions_found: NotRequired[bool]
    """the picture contains text that addresses the person or model that checks it"""
    model: NotRequired[str]
    no_answer: NotRequired[str]
    """why the signal could not be evaluated"""


class CreateApiKey(TypedDict):
    name: str
    mode: Mode
    scopes: NotRequired[list[KeyScope]]
    """limits the key to these actions: `create` creates verifications, `capture` is the capture flow of each. A key with scopes lists and reads nothing: put such a key into apps. It needs a `template_id`. Absent: every action of a publishable key"""
    template_id: NotRequired[str]
    """the link template that a key with scopes creates verifications from. It decides what is checked, who is told and what the page shows. Required with `scopes`"""


class CreateVerificationRequest(TypedDict):
    max_captures: NotRequired[int]
    """Asks for this many photos in one step. Send this or `steps`."""
    steps: NotRequired[list[StepInput]]
    """The photos, files and answers to ask for, in order. At most 20 captures in all."""
    expires_in_seconds: NotRequired[int]
    """How long the capture link works. Default: 3600."""
    signals_required: NotRequired[list[SignalName]]
    """The signals that decide the verdict. The account's setting replaces the default. Default: ["screen","ai"]."""
    depth_policy: NotRequired[DepthPolicy]
    """where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes"""
    seal: NotRequired[bool]
    """Seals the record and the answers with a hash at completion. Default: true."""
    mode: NotRequired[VerificationMode]
    """`audit`: existing files instead of live photos; `screen` and `depth` do not apply"""
    context: NotRequired[Context]
    webhook_url: NotRequired[str]
    """Gets a signed POST for every event of the verification"""
    notify_email: NotRequired[Union[str, None]]
    """Gets an e-mail with the outcome. `null` turns off the account's default."""
    metadata: NotRequired[dict[str, str]]
    """Your own keys and values. Every read and every webhook repeats them."""
    expected_location: NotRequired[str]
    """Where the photos must be taken: an address, `latitude,longitude` or a full plus code"""
    expected_object: NotRequired[str]
    """What the photos must show"""
    condition_aspects: NotRequired[list[str]]
    """What to grade from 0 to 10, for example `paint`"""
    expected_info: NotRequired[ExpectedInfo]
    brand_slug: NotRequired[str]
    """The short name of a brand"""
    tenant_id: NotRequired[str]
    """messaging bot only"""


class CreationWarning(TypedDict):
    signal: SignalName
    reason: WarningReason
    message: str
    """in English, for the developer"""


class Dimension(TypedDict):
    score: float
    evidence: str
    concerns: NotRequired[list[str]]


class EndUserView(TypedDict):
    id: str
    status: Status
    capture_url: str
    """the link for the person with the camera"""
    created_at: str
    """ISO 8601, UTC"""
    expires_at: str
    """ISO 8601, UTC"""
    captures_count: int
    """captures received so far"""
    config: CaptureConfig
    step_states: list[StepState]
    trial: NotRequired[Literal[True]]
    """Only on trials. A stranger made the request, so the steps come without their descriptions."""
    brand: NotRequired[BrandView]
    requires: CaptureRequirements
    turnstile_site_key: NotRequired[str]


class ErrorDetail(TypedDict):
    code: ErrorCode
    message: str
    """what went wrong, in English"""
    doc_url: str
    """the page of this service that explains the code"""
    fields: NotRequired[list[Fault]]
    """on `invalid_request`, and on `forbidden` where a key for apps sent members that it may not send"""


class ErrorResponse(TypedDict):
    error: ErrorDetail


class EvidenceKey(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    kid: str
    """RFC 7638 thumbprint"""
    alg: Literal["EdDSA"]
    use: Literal["sig"]
    role: EvidenceKeyRole
    """what it signs: the log, or bundles and receipts"""
    vkey: str
    """the verifier key (c2sp.org/signed-note)"""
    created_at: str
    retired_at: NotRequired[str]


class EvidenceKeys(TypedDict):
    keys: list[EvidenceKey]


class ExpectedInfo(TypedDict):
    source: NotRequired[ExpectedInfoSource]
    """Default: "individual"."""
    shared: NotRequired[SharedExpectations]
    subject: NotRequired[SubjectExpectations]


class ExpectedPerson(TypedDict):
    name: NotRequired[str]
    email: NotRequired[str]
    phone_e164: NotRequired[str]
    external_ref: NotRequired[str]


class ExplainedThreshold(TypedDict):
    at: float
    odds: NotRequired[Odds]


class ExplainedThresholds(TypedDict):
    doubtful: ExplainedThreshold
    """the score from which the band begins, by the settings of today"""
    confident: ExplainedThreshold
    """the score from which the band begins, by the settings of today"""


class Explanation(TypedDict):
    screen: NotRequired[SignalExplanation]
    ai: NotRequired[SignalExplanation]
    context: NotRequired[SignalExplanation]
    reverse: NotRequired[SignalExplanation]
    depth: NotRequired[SignalExplanation]


class Fault(TypedDict):
    path: str
    message: str
    """in English, for people; it may change"""
    code: Union[FaultCode, str]
    """Branch on it. Later versions may add codes: treat an unknown one as `invalid`."""
    params: NotRequired[dict[str, Union[str, float, bool, list[str]]]]
    """what the code needs to be told in words, such as the bound that was broken"""


class FilmAnnouncement(TypedDict):
    challenge_id: str
    image_sha256: str
    """of the photo"""
    trace_sha256: str
    """of the film"""


class FinalizeRequest(TypedDict):
    narrative: str
    """what happened, in the claimant's words"""


class FoundRate(TypedDict):
    count: int
    of: int
    at_least: NotRequired[float]


class Funnel(TypedDict):
    landing: int
    ready: int
    camera_blocked: int
    capturing: int
    reviewing: int
    uploading: int
    success: int


class GeoPoint(TypedDict):
    latitude: float
    longitude: float
    accuracy_m: NotRequired[float]
    simulated: NotRequired[bool]


class HotTile(TypedDict):
    x: float
    y: float
    width: float
    height: float
    strength: float
    """how far its pattern is from what nature has"""


class ImageStep(TypedDict):
    type: Literal["image"]
    key: str
    description: str
    """what the person reads above the viewfinder"""
    min: int
    """captures needed; 0 makes the step optional"""
    max: int
    """the most captures that this step takes"""


class ImageStepInput(TypedDict):
    type: NotRequired[Literal["image"]]
    key: str
    description: NotRequired[str]
    """what the person reads above the viewfinder"""
    min: int
    """captures needed; 0 makes the step optional"""
    max: int
    """the most captures that this step takes"""


class Invitation(TypedDict):
    email: NotRequired[str]
    phone_e164: NotRequired[str]
    """E.164"""
    name: NotRequired[str]
    role: Role


class InvitedPerson(TypedDict):
    id: str
    name: NotRequired[str]
    email: NotRequired[str]
    """owners and the secret key alone see it"""
    phone_e164: NotRequired[str]
    """owners and the secret key alone see it"""
    role: Role
    created_at: str
    """ISO 8601, UTC"""
    last_sign_in_at: NotRequired[str]
    """absent: never signed in"""
    sign_in_url: NotRequired[str]
    """where no mail was sent: hand it to the person. Works once, for 7 days; left out of a replayed answer"""


class LegalHold(TypedDict):
    verification_id: str
    reason: str
    placed_at: str
    """ISO 8601, UTC"""


class LegalHoldRequest(TypedDict):
    reason: str
    """no personal data: it stays"""


class LinkTemplate(TypedDict):
    id: str
    name: str
    version: int
    status: LinkTemplateStatus
    url: str
    """opening it creates a verification from the current version"""
    request: TemplateRequest
    retention_days: NotRequired[int]
    """for this template's verifications, in place of the account's `retention_days`"""
    return_url: NotRequired[str]
    """where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand; replaces the brand's"""
    livemode: bool
    created_at: str
    """ISO 8601, UTC"""
    updated_at: str
    """ISO 8601, UTC"""
    warnings: NotRequired[list[CreationWarning]]
    """when one template is created, changed or read, until it is revoked: required signals that this installation cannot evaluate"""


class LinkTemplateInput(TypedDict):
    name: str
    request: TemplateRequest
    retention_days: NotRequired[int]
    """for this template's verifications, in place of the account's `retention_days`"""
    return_url: NotRequired[str]
    """where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand; replaces the brand's"""


class LinkTemplateList(TypedDict):
    data: list[LinkTemplate]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class LinkTemplateVersion(TypedDict):
    version: int
    name: str
    request: TemplateRequest
    retention_days: NotRequired[int]
    """for this template's verifications, in place of the account's `retention_days`"""
    return_url: NotRequired[str]
    """where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand; replaces the brand's"""
    published_at: str
    """ISO 8601, UTC"""


class LinkTemplateWithVersions(TypedDict):
    id: str
    name: str
    version: int
    status: LinkTemplateStatus
    url: str
    """opening it creates a verification from the current version"""
    request: TemplateRequest
    retention_days: NotRequired[int]
    """for this template's verifications, in place of the account's `retention_days`"""
    return_url: NotRequired[str]
    """where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand; replaces the brand's"""
    livemode: bool
    created_at: str
    """ISO 8601, UTC"""
    updated_at: str
    """ISO 8601, UTC"""
    warnings: NotRequired[list[CreationWarning]]
    """when one template is created, changed or read, until it is revoked: required signals that this installation cannot evaluate"""
    versions: list[LinkTemplateVersion]
    """newest first"""


class LocationMatch(TypedDict):
    result: LocationResult
    expected_location: str


class MagicLinkRequest(TypedDict):
    email: str


class Me(TypedDict):
    person: MePerson
    tenant: MeTenant
    tenants: list[MembershipEntry]
    invitations: NotRequired[list[WaitingInvitation]]
    """accounts that invited the person and wait; `POST /v1/me/tenant` accepts. Absent: none"""
    session: MeSession
    passkeys: list[Passkey]


class MePerson(TypedDict):
    id: str
    name: NotRequired[str]
    email: NotRequired[str]
    phone_e164: NotRequired[str]


class MeSession(TypedDict):
    id: str
    method: str
    """`passkey`, `magic_link`, `invitation`, `one_time_code`, `first_run` or `oidc:<provider>`"""
    created_at: str
    """ISO 8601, UTC"""
    expires_at: str
    """when it ends if nothing more is asked"""


class MeTenant(TypedDict):
    id: str
    name: str
    role: Role
    livemode: bool


class MembershipEntry(TypedDict):
    id: str
    name: str
    role: Role


class MissingSettings(TypedDict):
    providers: NotRequired[str]
    magic_link: NotRequired[str]
    one_time_code: NotRequired[str]
    passkey: NotRequired[str]


class NewApiKey(TypedDict):
    id: str
    name: str
    kind: ApiKeyKind
    livemode: NotRequired[bool]
    """absent on a secret key, which works in both modes"""
    scopes: NotRequired[list[KeyScope]]
    """limits the key to these actions: `create` creates verifications, `capture` is the capture flow of each. A key with scopes lists and reads nothing: put such a key into apps. It needs a `template_id`. Absent: every action of a publishable key"""
    template_id: NotRequired[str]
    """the link template that a key with scopes creates verifications from. It decides what is checked, who is told and what the page shows. Required with `scopes`"""
    prefix: str
    """the first characters of the key, to recognise it by"""
    created_at: str
    """ISO 8601, UTC"""
    key: NotRequired[str]
    """the key itself; a retry does not repeat it"""


class NewPasskey(TypedDict):
    name: str
    response: PasskeyAttestation


class NextReview(TypedDict):
    queue: NotRequired[ReviewQueue]
    """`suspicious` and `failed`: by the verdict or status. `checks`: place or object did not match, or the file of a live photo is from another day. Default: "all"."""
    holding: NotRequired[list[str]]
    """the cases at hand: their claims are renewed. When sent, a case that you hold and do not list comes first, so that a reloaded page gets its cases back"""


class NotApplicable(TypedDict):
    status: Literal["not_applicable"]
    reason: Literal["uploaded_content"]


class Nothing(TypedDict):
    pass


class ObjectMatch(TypedDict):
    status: ObjectMatchStatus
    expected_object: str


class Odds(TypedDict):
    pictures: int
    """genuine pictures in the calibration set"""
    as_high: int
    """those of them that score at least as high"""
    one_in: int
    """about one genuine picture in so many: (pictures + 1) / (as_high + 1), to two digits"""


class OneTimeCode(TypedDict):
    otp_id: str
    expires_at: str
    """ISO 8601, UTC"""


class OneTimeCodeRedeem(TypedDict):
    otp_id: str
    code: str


class OneTimeCodeRequest(TypedDict):
    phone_e164: str
    """E.164"""


class Passkey(TypedDict):
    id: str
    name: str
    created_at: str
    """ISO 8601, UTC"""
    last_used_at: NotRequired[str]
    """ISO 8601, UTC"""


class PasskeyAssertion(TypedDict):
    id: str
    rawId: str
    type: Literal["public-key"]
    response: PasskeyAssertionResponse
    clientExtensionResults: NotRequired[PasskeyExtensionResults]
    authenticatorAttachment: NotRequired[Union[str, None]]


class PasskeyAssertionResponse(TypedDict):
    clientDataJSON: str
    authenticatorData: str
    signature: str


class PasskeyAttestation(TypedDict):
    id: str
    rawId: str
    type: Literal["public-key"]
    response: PasskeyAttestationResponse
    clientExtensionResults: NotRequired[PasskeyExtensionResults]
    authenticatorAttachment: NotRequired[Union[str, None]]


class PasskeyAttestationResponse(TypedDict):
    clientDataJSON: str
    attestationObject: str


class PasskeyOptions(TypedDict):
    challenge: str


class PathPoint(TypedDict):
    at: float
    """ms since the first frame"""
    x: float
    y: float


class Person(TypedDict):
    id: str
    name: NotRequired[str]
    email: NotRequired[str]
    """owners and the secret key alone see it"""
    phone_e164: NotRequired[str]
    """owners and the secret key alone see it"""
    role: Role
    created_at: str
    """ISO 8601, UTC"""
    last_sign_in_at: NotRequired[str]
    """absent: never signed in"""


class PersonList(TypedDict):
    data: list[Person]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class PersonPatch(TypedDict):
    role: NotRequired[Role]
    name: NotRequired[str]


class PictureStepState(TypedDict):
    key: str
    type: PictureStepType
    captured: int
    remaining: int
    min_long_side: NotRequired[int]
    """pixels that a picture must have on its long side"""
    motion_frame: NotRequired[Literal[False]]
    """this step shows flat things: no moves and no second photo are asked for"""


class Presence(TypedDict):
    result: PresenceResult
    checks: PresenceChecks
    words: NotRequired[str]
    """why there are no checks of a session, or what a session lacks under `strict`"""
    evidence: NotRequired[PresenceEvidence]


class PresenceCheck(TypedDict):
    evaluated: bool
    """false: the check has no answer and counts neither way"""
    passed: NotRequired[bool]
    probability: NotRequired[float]
    """that the session is the attack this check looks for; ordered, not calibrated"""
    words: str
    """one sentence for the person who reviews the photo"""
    evidence: NotRequired[dict[str, Any]]
    """what was measured"""


class PresenceChecks(TypedDict):
    fresh: NotRequired[PresenceCheck]
    continuous: NotRequired[PresenceCheck]
    asked: NotRequired[PresenceCheck]
    depth: NotRequired[PresenceCheck]
    sensor: NotRequired[PresenceCheck]
    hand: NotRequired[PresenceCheck]
    light: NotRequired[PresenceCheck]


class PresenceEvidence(TypedDict):
    strip_url: NotRequired[str]
    """presigned URL, valid for 1 hour: JPEG with some frames of the trace side by side"""
    moves_asked: list[Move]
    moves_done: NotRequired[list[Move]]
    """the moves that the page saw, by its own account"""
    path: list[PathPoint]
    """where the camera pointed at each frame, as shares of the picture’s longer side; y down"""
    noise: NotRequired[PresenceNoise]
    uncovered: NotRequired[float]
    """share of the photo’s area that the film does not show"""
    began_at: NotRequired[str]
    """ISO 8601, UTC"""
    delay_seconds: NotRequired[float]
    """from the beginning of the trace to the arrival of the photo"""
    challenges: NotRequired[int]
    """how many challenges were asked for in this step"""
    gave_up: NotRequired[bool]
    """the person chose the way out"""
    camera_signs: NotRequired[list[CameraSign]]
    """what suggests that something stands in the place of the camera: `drawn_track`, the film comes from a canvas or a program; `replaced_function`, a function of the browser that opens or describes cameras is not its own, which privacy extensions do too"""


class PresenceNoise(TypedDict):
    before: float
    """correlation of the crops’ noise at rest on the sensor, -1 to 1"""
    after: float
    """correlation after the crops were aligned by the scene, -1 to 1; near 1 in a photo that a program pans"""
    before_url: NotRequired[str]
    """presigned URL, valid for 1 hour: PNG with the noise of two crops laid on each other; grey where they agree, coloured where not"""
    after_url: NotRequired[str]
    """the same after the crops were aligned by the scene; grey in a photo that a program pans"""


class PreviousWebhookSecret(TypedDict):
    secret: str
    expires_at: str
    """ISO 8601, UTC"""


class Progress(TypedDict):
    schema_version: Literal[1]
    step: ProgressStep
    elapsed_ms: int
    """since the page was opened"""
    updated_at: str
    """ISO 8601, UTC"""
    step_index: NotRequired[int]
    camera_permission: NotRequired[CameraPermission]


class ProgressRequest(TypedDict):
    schema_version: Literal[1]
    step: ProgressStep
    elapsed_ms: int
    """since the page was opened"""
    step_index: NotRequired[int]
    camera_permission: NotRequired[CameraPermission]
    updated_at: NotRequired[str]
    """ISO 8601, UTC"""
    abandoned: NotRequired[bool]
    """the person left before finishing"""


class PublicSeal(TypedDict):
    algorithm: Literal["sha256"]
    hash: str


class PublicVerdict(TypedDict):
    label: VerdictLabel


class PublicView(TypedDict):
    id: str
    status: Status
    created_at: str
    """ISO 8601, UTC"""
    completed_at: NotRequired[str]
    """ISO 8601, UTC"""
    captures_count: int
    """captures received so far"""
    livemode: NotRequired[Literal[False]]
    """Only on test verifications and trials: they prove nothing."""
    verdict: NotRequired[PublicVerdict]
    brand: NotRequired[BrandView]
    record_seal: NotRequired[PublicSeal]


class PublishedRates(TypedDict):
    flagged: Rate
    at_most: float
    found: NotRequired[FoundRate]


class Rate(TypedDict):
    count: int
    of: int


class RecordSeal(TypedDict):
    algorithm: Literal["sha256"]
    hash: str
    covers: list[SealPart]
    answers_provenance: Literal["user_declared"]


class RecoverRequest(TypedDict):
    since: str
    """ISO 8601, UTC"""
    url: NotRequired[str]


class Recovered(TypedDict):
    recovered: int


class RedactRequest(TypedDict):
    reason: NotRequired[str]
    """no personal data: it stays"""


class RedactedLeaf(TypedDict):
    seq: int
    index: int
    """place in the transparency log"""
    commitment: str


class RedactionKept(TypedDict):
    image_sha256: list[str]
    """SHA-256 of each photo"""
    verdict_label: NotRequired[VerdictLabel]


class RedactionReceipt(TypedDict):
    verification_id: str
    redacted_at: str
    """ISO 8601, UTC"""
    reason: NotRequired[str]
    removed: list[ErasedKind]
    """kinds of data that were deleted, whether or not there were any"""
    kept: RedactionKept
    leaves: list[RedactedLeaf]
    """entries of the log, which say nothing without the deleted salts"""
    not_recalled: Literal["bundles already downloaded"]
    backups_until: NotRequired[str]
    """when the last backup with the data ends (`BACKUP_DAYS`)"""
    key_id: str
    """the key of `GET /v1/evidence-keys` that signs (`kid`)"""
    signature: str
    """Ed25519, base64, over the RFC 8785 canonical JSON of this object without `signature`"""


class Replay(TypedDict):
    cases: int
    """completed verifications that were judged again, the newest first"""
    since: NotRequired[str]
    """ISO 8601, UTC"""
    thresholds: ReplayedThresholds
    """as asked for; without: those in force"""
    in_force: ThresholdsInForce
    flips: int
    """cases whose verdict would be another"""
    by: list[ReplayedFlips]
    """flips by verdict before and after"""
    verifications: list[ReplayedVerification]
    """those that flip, newest first, at most 500"""


ReplayedFlips = TypedDict(
    "ReplayedFlips",
    {
        "from": "ReplayedLabel",
        "to": "ReplayedLabel",
        "cases": "int",
        "approved": "int",
        "rejected": "int",
    },
)


class ReplayedThresholds(TypedDict):
    doubtful: float
    confident: float


ReplayedVerification = TypedDict(
    "ReplayedVerification",
    {
        "id": "str",
        "created_at": "str",
        "from": "ReplayedLabel",
        "to": "ReplayedLabel",
        "score": "float",
        "decision": "NotRequired[ReplayedDecision]",
    },
)


class ResendRequest(TypedDict):
    url: NotRequired[str]


class ResentDeliveries(TypedDict):
    data: list[WebhookDelivery]


class Review(TypedDict):
    id: str
    decision: Decision
    reasons: list[str]
    note: NotRequired[str]
    flags: NotRequired[list[ReviewFlag]]
    by: Reviewer
    blind: bool
    """made without seeing another person's decision that stood already"""
    seconds: int
    """how long the case was on screen"""
    created_at: str
    """ISO 8601, UTC"""
    struck_at: NotRequired[str]
    """when its author took it back"""


class ReviewAgreement(TypedDict):
    since: str
    """ISO 8601, UTC"""
    decisions: int
    """decisions that stand; an escalation decides nothing"""
    median_seconds: NotRequired[float]
    """how long a case was on screen; absent without a decision"""
    pairs: int
    """cases that a second person decided without seeing the first decision"""
    agreed: int
    """of the pairs, both decided alike"""
    kappa: NotRequired[float]
    """agreement beyond chance over the pairs (κ of Fleiss for two): 1 always, 0 as often as chance; absent where all decisions are the same"""
    sample: BlindSample
    """verified cases that came up at random, unmarked, and of them those that people approved"""


class ReviewFlag(TypedDict):
    capture_id: str
    genuine: bool
    """true: a photo of the thing itself; false: of a screen, generated or not new"""


class ReviewInput(TypedDict):
    decision: Decision
    reasons: NotRequired[list[str]]
    note: NotRequired[str]
    flags: NotRequired[list[ReviewFlag]]
    """what the reviewer says of single photos"""
    seconds: NotRequired[int]
    """how long the case was on screen; without it, the time since the claim"""


class ReviewSummary(TypedDict):
    state: ReviewState
    """`none`: not up for review. `open`: waits for a person. `claimed`: a person has it. `disputed`: two people disagree and a third decides. `decided`: done."""
    decision: NotRequired[FinalDecision]
    decided_at: NotRequired[str]
    """ISO 8601, UTC"""
    claimed_by: NotRequired[Reviewer]


class Reviewer(TypedDict):
    person_id: str
    name: str


class RotateSecretRequest(TypedDict):
    overlap_seconds: NotRequired[int]
    """Default: 86400."""


class SessionEntry(TypedDict):
    id: str
    method: str
    """`passkey`, `magic_link`, `invitation`, `one_time_code`, `first_run` or `oidc:<provider>`"""
    created_at: str
    """ISO 8601, UTC"""
    expires_at: str
    """when it ends if nothing more is asked"""
    last_seen_at: str
    """ISO 8601, UTC"""
    address: str
    """IP address of the sign-in"""
    device: str
    """in words, such as `Chrome on Windows`"""
    current: bool


class SessionList(TypedDict):
    data: list[SessionEntry]


class Settings(TypedDict):
    name: str
    notify_email: Union[str, None]
    """default for verifications created without one"""
    retention_days: Union[int, None]
    """days after which a closed verification is redacted, existing ones too; null: never"""
    review_policy: ReviewPolicy
    """how many people decide a case that comes up for review: nobody, one, or two who do not see each other's decision"""
    review_sample: float
    """share of verified verifications that people review too, unmarked"""
    depth_policy: DepthPolicy
    """where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes"""
    signals_required: Union[list[SignalName], None]
    """default for verifications created without any; null: `screen` and `ai`"""
    allowed_origins: list[str]
    """pages on these origins may show the capture page in a frame, and a `return_url` must belong to one; such as `https://claims.example.com`"""
    rate_limit_per_minute: int
    """read only"""


class SettingsPatch(TypedDict):
    name: NotRequired[str]
    notify_email: NotRequired[Union[str, None]]
    """default for verifications created without one"""
    retention_days: NotRequired[Union[int, None]]
    """days after which a closed verification is redacted, existing ones too; null: never"""
    review_policy: NotRequired[ReviewPolicy]
    """how many people decide a case that comes up for review: nobody, one, or two who do not see each other's decision"""
    review_sample: NotRequired[float]
    """share of verified verifications that people review too, unmarked"""
    depth_policy: NotRequired[DepthPolicy]
    """where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes"""
    signals_required: NotRequired[Union[list[SignalName], None]]
    """default for verifications created without any; null: `screen` and `ai`"""
    allowed_origins: NotRequired[list[str]]
    """pages on these origins may show the capture page in a frame, and a `return_url` must belong to one; such as `https://claims.example.com`"""
    rate_limit_per_minute: NotRequired[Any]
    """read only: sending it is an error"""


class SharedExpectations(TypedDict):
    expected_location: NotRequired[str]
    """Where the photos must be taken: an address, `latitude,longitude` or a full plus code"""
    expected_object: NotRequired[str]
    """What the photos must show"""
    condition_aspects: NotRequired[list[str]]
    """What to grade from 0 to 10, for example `paint`"""
    ocr_type: NotRequired[str]


class SignInMethods(TypedDict):
    providers: list[SignInProvider]
    magic_link: bool
    one_time_code: bool
    passkey: bool
    missing: NotRequired[MissingSettings]
    """of each way that is off, the settings that switch it on"""


class SignInProvider(TypedDict):
    name: str
    label: str


class SignalExplanation(TypedDict):
    score: NotRequired[float]
    """what the thresholds are compared with"""
    still_score: NotRequired[float]
    """the first photo alone, where two were compared; the odds are its"""
    model: NotRequired[str]
    odds: NotRequired[Odds]
    no_odds: NotRequired[NoOdds]
    unanswered: NotRequired[UnansweredSignal]
    """present if the signal could not be evaluated"""
    thresholds: NotRequired[ExplainedThresholds]
    published: NotRequired[PublishedRates]
    """measured on sources that the detector never saw: genuine pictures flagged, the upper 95% bound of that share, and what it was to find, with the lower bound of that share over the people who took the pictures"""
    tiles: NotRequired[list[HotTile]]
    """the parts of the picture that say so, strongest first"""


class Statistics(TypedDict):
    buckets: list[StatisticsBucket]
    funnel: Funnel
    """verifications by the furthest step that the capture page reported"""


class StatisticsBucket(TypedDict):
    start: str
    """ISO 8601, UTC"""
    created: int
    completed: int
    expired: int
    failed: int
    """status `failed`: not the verdict"""
    verified: int
    suspicious: int
    rejected_by_signal: dict[str, int]
    """verdict `failed`, by its `reason_code`"""
    reviewed: int
    """people have decided"""
    overridden: int
    """people approved what was not `verified`, or rejected what was"""
    median_seconds_to_capture: NotRequired[float]
    """exact to the second up to 63, within 1.6% beyond; absent without any"""
    median_seconds_to_verdict: NotRequired[float]
    """exact to the second up to 63, within 1.6% beyond; absent without any"""
    median_seconds_to_review: NotRequired[float]
    """exact to the second up to 63, within 1.6% beyond; absent without any"""
    groups: NotRequired[list[StatisticsGroup]]
    """with `by`: the largest first; a verification without a key is in none"""


class StatisticsGroup(TypedDict):
    key: str
    created: int
    completed: int
    expired: int
    failed: int
    """status `failed`: not the verdict"""
    verified: int
    suspicious: int
    rejected_by_signal: dict[str, int]
    """verdict `failed`, by its `reason_code`"""
    reviewed: int
    """people have decided"""
    overridden: int
    """people approved what was not `verified`, or rejected what was"""


class SubjectExpectations(TypedDict):
    expected_location: NotRequired[str]
    """Where the photos must be taken: an address, `latitude,longitude` or a full plus code"""
    expected_object: NotRequired[str]
    """What the photos must show"""
    condition_aspects: NotRequired[list[str]]
    """What to grade from 0 to 10, for example `paint`"""
    ocr_type: NotRequired[str]
    asset_ref: NotRequired[str]
    person: NotRequired[ExpectedPerson]


class SwitchTenant(TypedDict):
    tenant_id: str
    livemode: bool


class System(TypedDict):
    findings: list[SystemFinding]


class SystemFinding(TypedDict):
    part: SystemPart
    state: SystemState
    """`missing`: not configured, and the service works without it"""
    what: str
    advice: NotRequired[str]
    """what is lost without it, and what to set"""


class TemplateRequest(TypedDict):
    max_captures: NotRequired[int]
    """Asks for this many photos in one step. Send this or `steps`."""
    steps: NotRequired[list[StepInput]]
    """The photos, files and answers to ask for, in order. At most 20 captures in all."""
    expires_in_seconds: NotRequired[int]
    """How long the capture link works. Default: 3600."""
    signals_required: NotRequired[list[SignalName]]
    """The signals that decide the verdict. The account's setting replaces the default. Default: ["screen","ai"]."""
    depth_policy: NotRequired[DepthPolicy]
    """where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes"""
    seal: NotRequired[bool]
    """Seals the record and the answers with a hash at completion. Default: true."""
    mode: NotRequired[VerificationMode]
    """`audit`: existing files instead of live photos; `screen` and `depth` do not apply"""
    context: NotRequired[Context]
    webhook_url: NotRequired[str]
    """Gets a signed POST for every event of the verification"""
    notify_email: NotRequired[Union[str, None]]
    """Gets an e-mail with the outcome. `null` turns off the account's default."""
    metadata: NotRequired[dict[str, str]]
    """Your own keys and values. Every read and every webhook repeats them."""
    expected_location: NotRequired[str]
    """Where the photos must be taken: an address, `latitude,longitude` or a full plus code"""
    expected_object: NotRequired[str]
    """What the photos must show"""
    condition_aspects: NotRequired[list[str]]
    """What to grade from 0 to 10, for example `paint`"""
    expected_info: NotRequired[ExpectedInfo]
    brand_slug: NotRequired[str]
    """The short name of a brand"""


class TestEvent(TypedDict):
    type: Literal["webhook.test"]
    timestamp: str
    """ISO 8601, UTC"""
    data: TestEventData


class TestEventAccepted(TypedDict):
    delivery_id: str


class TestEventData(TypedDict):
    message: str
    livemode: bool


class TestEventRequest(TypedDict):
    url: str


class TextStep(TypedDict):
    type: Literal["text"]
    key: str
    description: str
    """what the person reads above the viewfinder"""
    required: bool
    validation: TextValidation


class TextStepInput(TypedDict):
    type: Literal["text"]
    key: str
    description: NotRequired[str]
    """what the person reads above the viewfinder"""
    required: NotRequired[bool]
    """Default: true."""
    validation: NotRequired[TextValidationInput]


class TextStepState(TypedDict):
    key: str
    type: Literal["text"]
    answered: bool


class TextValidation(TypedDict):
    min_length: NotRequired[int]
    max_length: int
    format: TextFormat


class TextValidationInput(TypedDict):
    min_length: NotRequired[int]
    max_length: NotRequired[int]
    format: NotRequired[TextFormat]


class ThresholdsInForce(TypedDict):
    doubtful: float
    confident: float


class TokenRequest(TypedDict):
    token: str


class Trial(TypedDict):
    id: str
    status: Status
    capture_url: NotRequired[str]
    """the link for the person with the camera; absent only for people whose role may not create verifications"""
    created_at: str
    """ISO 8601, UTC"""
    expires_at: str
    """ISO 8601, UTC"""
    captures_count: int
    """captures received so far"""
    config: Config
    livemode: bool
    completed_at: NotRequired[str]
    """ISO 8601, UTC"""
    verdict: NotRequired[Verdict]
    captures: list[TrialCapture]


class TrialCapture(TypedDict):
    id: str
    step_key: str
    source: CaptureSource
    content_type: str
    width: int
    """pixels"""
    height: int
    """pixels"""
    created_at: str
    """ISO 8601, UTC"""
    signals: NotRequired[CaptureSignals]


class TrialRequest(TypedDict):
    max_captures: NotRequired[int]
    steps: NotRequired[list[StepInput]]
    expires_in_seconds: NotRequired[int]
    """Default: 600."""
    signals_required: NotRequired[list[SignalName]]
    mode: NotRequired[VerificationMode]


class UnansweredSignal(TypedDict):
    reason: NotRequired[Unanswered]
    """why the signal could not be evaluated"""
    chosen_by: Chooser
    """`sender`: whoever sends the photo can bring this about, so the photo is not verified"""


class UploadStep(TypedDict):
    type: Literal["upload"]
    key: str
    description: str
    """what the person reads above the viewfinder"""
    min: int
    """captures needed; 0 makes the step optional"""
    max: int
    """the most captures that this step takes"""
    accept: list[ImageType]
    max_size_bytes: int


class UploadStepInput(TypedDict):
    type: Literal["upload"]
    key: str
    description: NotRequired[str]
    """what the person reads above the viewfinder"""
    min: int
    """captures needed; 0 makes the step optional"""
    max: int
    """the most captures that this step takes"""
    accept: NotRequired[list[ImageType]]
    max_size_bytes: NotRequired[int]
    """Default: 10485760."""


class UploadUrlRequest(TypedDict):
    contentType: NotRequired[str]
    content_type: NotRequired[str]
    step_key: NotRequired[str]
    size_bytes: NotRequired[int]


class UploadUrlResponse(TypedDict):
    capture_id: str
    image_key: str
    upload_url: str
    method: Literal["PUT"]
    headers: dict[str, str]
    """send these headers with the upload"""
    expires_at: str
    """ISO 8601, UTC"""


class Verdict(TypedDict):
    label: VerdictLabel
    score: float
    signals: VerdictSignals
    reason_code: NotRequired[ReasonCode]


class VerdictAiDetection(TypedDict):
    label: AiLabel
    confidence: float
    evaluated: NotRequired[Literal[False]]
    """present if the signal could not be evaluated"""


class VerdictDepth(TypedDict):
    source: str
    confidence: float
    evaluated: NotRequired[Literal[False]]
    """present if the signal could not be evaluated"""


class VerdictReverseSearch(TypedDict):
    found_online: bool
    match_count: int
    evaluated: NotRequired[Literal[False]]
    """present if the signal could not be evaluated"""


class VerdictScreenDetection(TypedDict):
    screen_detected: bool
    confidence: float
    evaluated: NotRequired[Literal[False]]
    """present if the signal could not be evaluated"""


class VerdictSignals(TypedDict):
    screen_detection: NotRequired[Union[VerdictScreenDetection, NotApplicable]]
    ai_detection: NotRequired[Union[VerdictAiDetection, NotApplicable]]
    reverse_search: NotRequired[Union[VerdictReverseSearch, NotApplicable]]
    depth: NotRequired[Union[VerdictDepth, NotApplicable]]


class Verification(TypedDict):
    id: str
    status: Status
    capture_url: NotRequired[str]
    """the link for the person with the camera; absent only for people whose role may not create verifications"""
    created_at: str
    """ISO 8601, UTC"""
    expires_at: str
    """ISO 8601, UTC"""
    captures_count: int
    """captures received so far"""
    config: Config
    livemode: bool
    completed_at: NotRequired[str]
    """ISO 8601, UTC"""
    answers: NotRequired[dict[str, Answer]]
    record_seal: NotRequired[RecordSeal]
    verdict: NotRequired[Verdict]
    narrative: NotRequired[str]
    case_analysis: NotRequired[CaseAnalysis]
    object_match: NotRequired[ObjectMatch]
    condition: NotRequired[Condition]
    instructions_found: NotRequired[list[InstructedCheck]]
    """checks in which the model found text in a picture that tells it what to answer; each opens a review"""
    location_match: NotRequired[LocationMatch]
    progress: NotRequired[Progress]
    redacted_at: NotRequired[str]
    """ISO 8601, UTC"""
    review: ReviewSummary
    reviews: list[Review]
    """oldest first"""
    captures: list[Capture]
    warnings: NotRequired[list[CreationWarning]]
    """while the verification is open: required signals that this installation cannot evaluate"""


class VerificationEvent(TypedDict):
    type: VerificationEventType
    timestamp: str
    """ISO 8601, UTC"""
    data: VerificationEventData


class VerificationEventData(TypedDict):
    id: str
    status: Status
    capture_url: NotRequired[str]
    """the link for the person with the camera; absent only for people whose role may not create verifications"""
    created_at: str
    """ISO 8601, UTC"""
    expires_at: str
    """ISO 8601, UTC"""
    captures_count: int
    """captures received so far"""
    config: Config
    livemode: bool
    completed_at: NotRequired[str]
    """ISO 8601, UTC"""
    answers: NotRequired[dict[str, Answer]]
    record_seal: NotRequired[RecordSeal]
    verdict: NotRequired[Verdict]
    narrative: NotRequired[str]
    case_analysis: NotRequired[CaseAnalysis]
    object_match: NotRequired[ObjectMatch]
    condition: NotRequired[Condition]
    instructions_found: NotRequired[list[InstructedCheck]]
    """checks in which the model found text in a picture that tells it what to answer; each opens a review"""
    location_match: NotRequired[LocationMatch]
    progress: NotRequired[Progress]
    redacted_at: NotRequired[str]
    """ISO 8601, UTC"""
    review: ReviewSummary
    reviews: list[Review]
    """oldest first"""
    captures: list[Capture]
    warnings: NotRequired[list[CreationWarning]]
    """while the verification is open: required signals that this installation cannot evaluate"""
    sequence: int
    """counts the events of one verification: 1, 2, 3… They may arrive in another order"""
    metadata: dict[str, str]


class VerificationSummary(TypedDict):
    id: str
    status: Status
    capture_url: NotRequired[str]
    """the link for the person with the camera; absent only for people whose role may not create verifications"""
    created_at: str
    """ISO 8601, UTC"""
    expires_at: str
    """ISO 8601, UTC"""
    captures_count: int
    """captures received so far"""
    config: Config
    livemode: bool
    completed_at: NotRequired[str]
    """ISO 8601, UTC"""
    answers: NotRequired[dict[str, Answer]]
    record_seal: NotRequired[RecordSeal]
    verdict: NotRequired[Verdict]
    narrative: NotRequired[str]
    case_analysis: NotRequired[CaseAnalysis]
    object_match: NotRequired[ObjectMatch]
    condition: NotRequired[Condition]
    instructions_found: NotRequired[list[InstructedCheck]]
    """checks in which the model found text in a picture that tells it what to answer; each opens a review"""
    location_match: NotRequired[LocationMatch]
    progress: NotRequired[Progress]
    redacted_at: NotRequired[str]
    """ISO 8601, UTC"""
    review: ReviewSummary
    reviews: list[Review]
    """oldest first"""


class VerificationSummaryList(TypedDict):
    data: list[VerificationSummary]
    next_cursor: NotRequired[str]
    """absent on the last page"""
    total_estimate: NotRequired[int]
    """on the first page: how many match; exact up to 1,000, an estimate beyond"""


class WaitingInvitation(TypedDict):
    id: str
    name: str
    role: Role


class WebhookAttempt(TypedDict):
    at: str
    """ISO 8601, UTC"""
    status_code: NotRequired[int]
    error: NotRequired[AttemptError]
    latency_ms: int
    response_excerpt: NotRequired[str]
    """the first 1 kB of the response"""


class WebhookDelivery(TypedDict):
    id: str
    event_id: str
    """the webhook-id header of every attempt"""
    type: WebhookEventType
    verification_id: NotRequired[str]
    url: str
    status: DeliveryStatus
    attempts: list[WebhookAttempt]
    next_attempt_at: NotRequired[str]
    """ISO 8601, UTC"""
    created_at: str
    """ISO 8601, UTC"""


class WebhookDeliveryList(TypedDict):
    data: list[WebhookDelivery]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class WebhookEndpoint(TypedDict):
    id: str
    url: str
    livemode: bool
    status: EndpointStatus
    failing_since: NotRequired[str]
    """ISO 8601, UTC"""
    disabled_at: NotRequired[str]
    """ISO 8601, UTC"""
    created_at: str
    """ISO 8601, UTC"""


class WebhookEndpointList(TypedDict):
    data: list[WebhookEndpoint]
    next_cursor: NotRequired[str]
    """absent on the last page"""


class WebhookSecret(TypedDict):
    secret: str
    """`whsec_`, followed by base64"""
    previous: NotRequired[PreviousWebhookSecret]


class WornColors(TypedDict):
    accent: str
    """#rrggbb"""
    background: NotRequired[str]
    """#rrggbb"""


ActorKind: TypeAlias = Literal["secret", "session", "command_line", "system"]

AiLabel: TypeAlias = Literal["likely_human", "likely_ai", "unknown"]

AiRisk: TypeAlias = Literal["low", "medium", "high"]

ApiKeyKind: TypeAlias = Literal["publishable", "secret"]

AttemptError: TypeAlias = Literal["timeout", "status", "redirect", "gone", "invalid_url", "forbidden_address", "no_secret", "dns", "connection_refused", "connection_closed", "unreachable", "tls", "protocol", "answer_too_large", "failed"]

AttestationVerdict: TypeAlias = Literal["ok", "error"]

Band: TypeAlias = Literal["clear", "doubtful", "confident"]

BatchRow: TypeAlias = dict[str, Any]

BatchState: TypeAlias = Literal["queued", "running", "completed", "cancelled"]

BulkActName: TypeAlias = Literal["cancel", "resend", "reissue", "review", "redact"]

BulkActState: TypeAlias = Literal["queued", "collecting", "running", "completed", "cancelled"]

CameraPermission: TypeAlias = Literal["granted", "denied", "unavailable", "unknown"]

CameraSign: TypeAlias = Literal["drawn_track", "replaced_function"]

CaptureSource: TypeAlias = Literal["live", "upload"]

Chooser: TypeAlias = Literal["sender", "service"]

ConditionLabel: TypeAlias = Literal["good", "fair", "poor"]

CredentialOf: TypeAlias = Literal["original", "preview"]

Decision: TypeAlias = Literal["approved", "rejected", "retake", "escalated"]

DeliveryStatus: TypeAlias = Literal["pending", "succeeded", "failed", "cancelled"]

DepthPolicy: TypeAlias = Literal["lenient", "strict", "attested"]

EndpointStatus: TypeAlias = Literal["enabled", "disabled"]

ErasedKind: TypeAlias = Literal["images", "previews", "heat_maps", "second_frames", "fingerprints", "image_metadata", "locations", "read_text", "signals", "answers", "person", "narrative", "case_analysis", "review_notes", "metadata", "context", "asset_ref", "expectations", "progress", "record_seal", "webhook_bodies", "webhook_answers", "notifications", "replayed_answers", "evidence_bundle", "statements", "salts"]

ErrorCode: TypeAlias = Literal["invalid_request", "unknown_step", "unauthorized", "forbidden", "reauthentication_required", "not_found", "idempotency_in_progress", "idempotency_key_used", "step_full", "steps_incomplete", "already_finalized", "verification_closed", "template_revoked", "not_completed", "on_hold", "last_owner", "already_member", "not_configured", "not_reviewable", "claimed", "already_decided", "own_photo", "undo_expired", "expired", "redacted", "idempotency_conflict", "too_many_requests", "internal_error", "storage_unavailable"]

EvidenceKeyRole: TypeAlias = Literal["log", "bundle"]

ExpectedInfoSource: TypeAlias = Literal["individual", "csv"]

FaultCode: TypeAlias = Literal["required", "unknown_property", "type", "enum", "pattern", "format", "too_short", "too_long", "too_few", "too_many", "too_small", "too_large", "too_many_bytes", "wrong_size", "too_deep", "invalid_name", "unusable_text", "duplicate", "conflict", "not_allowed", "read_only", "masked", "unknown_reference", "revoked", "not_configured", "incomplete", "unsupported_type", "truncated", "undecodable", "too_many_pixels", "too_few_pixels", "not_uploaded", "hash_mismatch", "cell_count", "no_heading", "invalid"]

FinalDecision: TypeAlias = Literal["approved", "rejected", "retake"]

ImageType: TypeAlias = Literal["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"]

InstructedCheck: TypeAlias = Literal["context", "object", "condition", "text", "case_analysis"]

KeyScope: TypeAlias = Literal["create", "capture"]

LinkTemplateStatus: TypeAlias = Literal["active", "revoked"]

LocationResult: TypeAlias = Literal["rejected", "no_match", "ungeocoded", "verified"]

LocationSource: TypeAlias = Literal["app", "page", "program"]

Mode: TypeAlias = Literal["live", "test"]

Move: TypeAlias = Literal["left", "right", "up", "down"]

NoOdds: TypeAlias = Literal["not_evaluated", "no_score", "no_set", "too_few_pictures", "other_model"]

ObjectMatchStatus: TypeAlias = Literal["match", "mismatch", "inconclusive"]

PasskeyExtensionResults: TypeAlias = dict[str, Any]

PictureStepType: TypeAlias = Literal["image", "upload"]

Plausibility: TypeAlias = Literal["yes", "no", "unclear"]

PresenceResult: TypeAlias = Literal["passed", "failed", "inconclusive", "not_performed"]

ProgressStep: TypeAlias = Literal["landing", "ready", "capturing", "reviewing", "uploading", "camera_blocked", "success"]

ReasonCode: TypeAlias = Literal["screen_detected", "ai_generated", "context_mismatch", "reverse_search_match", "depth_anomaly"]

ReplayedDecision: TypeAlias = Literal["approved", "rejected", "retake"]

ReplayedLabel: TypeAlias = Literal["verified", "suspicious", "failed"]

ReviewPolicy: TypeAlias = Literal["none", "one", "two_people"]

ReviewPriority: TypeAlias = Literal["low", "medium", "high"]

ReviewQueue: TypeAlias = Literal["all", "suspicious", "failed", "checks"]

ReviewState: TypeAlias = Literal["none", "open", "claimed", "disputed", "decided"]

Role: TypeAlias = Literal["viewer", "reviewer", "member", "owner"]

SealPart: TypeAlias = Literal["record", "answers"]

SignalName: TypeAlias = Literal["screen", "ai", "context", "reverse", "depth"]

StatisticsGrouping: TypeAlias = Literal["verdict", "reason", "template", "brand"]

StatisticsInterval: TypeAlias = Literal["hour", "day", "week"]

Status: TypeAlias = Literal["pending", "partially_captured", "completed", "expired", "failed", "abandoned"]

Step: TypeAlias = Union[ImageStep, TextStep, UploadStep]

StepInput: TypeAlias = Union[ImageStepInput, TextStepInput, UploadStepInput]

StepState: TypeAlias = Union[PictureStepState, TextStepState]

Stopped: TypeAlias = Literal["not_allowed"]

SystemPart: TypeAlias = Literal["node", "data_folder", "disk_space", "database", "store", "seals", "retention", "vision_model", "text_reader", "reverse_search", "required_signals", "geocoder", "passkey", "providers", "magic_link", "one_time_code", "email", "attestation", "time_stamps"]

SystemState: TypeAlias = Literal["ok", "missing", "wrong"]

TextFormat: TypeAlias = Literal["free_text", "numeric_id", "alphanumeric_id"]

Unanswered: TypeAlias = Literal["too_small", "too_dark", "analysis_error", "no_context", "no_model", "timeout", "refused", "wrong_answer", "rate_limited", "unreachable", "rejected", "resting", "too_plain", "nothing_to_search", "engine_unavailable", "no_session", "session_inconclusive"]

VerdictLabel: TypeAlias = Literal["verified", "suspicious", "failed"]

VerificationEventType: TypeAlias = Literal["verification.created", "verification.capture_received", "verification.completed", "verification.expired", "verification.failed", "verification.case_completed", "verification.redacted", "verification.reviewed"]

VerificationMode: TypeAlias = Literal["verification", "audit"]

WarningReason: TypeAlias = Literal["no_context", "no_model", "nothing_to_search"]

WebhookEventType: TypeAlias = Literal["verification.created", "verification.capture_received", "verification.completed", "verification.expired", "verification.failed", "verification.case_completed", "verification.redacted", "verification.reviewed", "webhook.test"]
