# Written by scripts/generate-python.ts from the OpenAPI document; do not edit.

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, cast

from .._core import Call, ServerSentEvent, path_of
from .._errors import FirsthandError
from .._typing import Unpack
from .transport import AsyncDownload, AsyncList, AsyncTransport

if TYPE_CHECKING:
    from .. import types as t


class AsyncVerificationsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.CreateVerificationRequest],
    ) -> t.Verification:
        """Create a verification.
        The response holds a `capture_url` to send to the person with the camera. Send an `Idempotency-Key`: without one, a retry creates a second verification. `warnings` names required signals that this installation cannot evaluate. With a key for apps, the link template of the key decides everything but `metadata`, `expected_info.subject` and `expires_in_seconds`.
        """
        call = Call(
            "POST",
            "/v1/verifications",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Verification", await self._transport.json(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        id: Sequence[str] | None = None,
        status: Sequence[t.Status] | None = None,
        verdict: Sequence[t.VerdictLabel] | None = None,
        template_id: Sequence[str] | None = None,
        review: Sequence[t.ReviewState] | None = None,
        brand_slug: Sequence[str] | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        external_ref: str | None = None,
        q: str | None = None,
        metadata: Mapping[str, str] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.VerificationSummary, t.VerificationSummaryList]:
        """List verifications, newest first.
        To filter by metadata, add `metadata[key]=value` to the query. A filter takes several values between commas. The first page says in `total_estimate` how many verifications match.
        """
        call = Call(
            "GET",
            "/v1/verifications",
            query={"limit": limit, "cursor": cursor, "id": id, "status": status, "verdict": verdict, "template_id": template_id, "review": review, "brand_slug": brand_slug, "created_after": created_after, "created_before": created_before, "external_ref": external_ref, "q": q, "metadata": metadata},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def export(
        self,
        *,
        id: Sequence[str] | None = None,
        status: Sequence[t.Status] | None = None,
        verdict: Sequence[t.VerdictLabel] | None = None,
        template_id: Sequence[str] | None = None,
        review: Sequence[t.ReviewState] | None = None,
        brand_slug: Sequence[str] | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        external_ref: str | None = None,
        q: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncDownload:
        """Export verifications as CSV.
        Takes the filters of the list and streams every verification that passes, newest first. A text that a spreadsheet would run (`= + - @` at its beginning) begins with an apostrophe.
        """
        call = Call(
            "GET",
            "/v1/verifications/export",
            query={"id": id, "status": status, "verdict": verdict, "template_id": template_id, "review": review, "brand_slug": brand_slug, "created_after": created_after, "created_before": created_before, "external_ref": external_ref, "q": q},
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.download(call)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.Verification:
        """Get a verification with its captures"""
        call = Call(
            "GET",
            path_of("/v1/verifications/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Verification", await self._transport.json(call))

    async def cancel(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.Verification:
        """Cancel a verification.
        Expires the verification and its link at once. Cancelling again changes nothing.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{id}/cancel", id=id),
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Verification", await self._transport.json(call))

    async def finalize(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.FinalizeRequest],
    ) -> t.Verification:
        """Finalize a case.
        Runs the case analysis over all photos and the narrative, once. If it takes longer, the response is 202 without `case_analysis`. The service adds it later and sends `verification.case_completed`.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{id}/finalize", id=id),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Verification", await self._transport.json(call))

    async def get_public(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.PublicView:
        """Get the public view of a verification"""
        call = Call(
            "GET",
            path_of("/v1/verifications/{id}/public", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.PublicView", await self._transport.json(call))

    async def redact(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.RedactRequest],
    ) -> t.RedactionReceipt:
        """Delete photos and personal data.
        Deletes everything about the person and the case, for good: photos, answers, places, free text, webhook bodies. What stays is the id, times, the steps, counts and the verdict’s label. An open verification is cancelled first. The answer is a signed receipt; redacting again gives the same one.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{id}/redact", id=id),
            body=body or None,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.RedactionReceipt", await self._transport.json(call))

    async def get_redaction(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.RedactionReceipt:
        """Get the receipt of a redaction.
        The receipt as it was first given. 404 while the verification is not redacted.
        """
        call = Call(
            "GET",
            path_of("/v1/verifications/{id}/redaction", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.RedactionReceipt", await self._transport.json(call))

    async def place_legal_hold(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **body: Unpack[t.LegalHoldRequest],
    ) -> t.LegalHold:
        """Place a legal hold.
        While it is in place, redaction is 409 `on_hold` and retention passes the verification by. Placing it again replaces the reason.
        """
        call = Call(
            "PUT",
            path_of("/v1/verifications/{id}/legal-hold", id=id),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.LegalHold", await self._transport.json(call))

    async def get_legal_hold(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.LegalHold:
        """Get the legal hold of a verification.
        404 while there is none.
        """
        call = Call(
            "GET",
            path_of("/v1/verifications/{id}/legal-hold", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.LegalHold", await self._transport.json(call))

    async def lift_legal_hold(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **body: Unpack[t.LegalHoldRequest],
    ) -> None:
        """Lift a legal hold.
        The body is optional; its reason goes to the audit log. Lifting again changes nothing.
        """
        call = Call(
            "DELETE",
            path_of("/v1/verifications/{id}/legal-hold", id=id),
            body=body or None,
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)

    def stream_changes(
        self,
        *,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        on_reconnect: Callable[[FirsthandError], None] | None = None,
    ) -> AsyncGenerator[ServerSentEvent, None]:
        """Stream changes of verifications and batches.
        Server-sent events `changed` with `{id, livemode}`: read that verification again. Several changes of one verification may come as one. The `id` of an event is a cursor: send it back as `Last-Event-ID` or `cursor` within 15 minutes to hear of what changed meanwhile. An event `reset` says that more has changed than is remembered: load everything again.
        """
        call = Call(
            "GET",
            "/v1/changes/stream",
            query={"cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.events(call, on_reconnect)


class AsyncEvidenceResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def download(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncDownload:
        """Download the evidence bundle.
        A zip of photos, record, verdict and proofs that anyone can check without the service. 202 while an entry of the log has no signed place yet.
        """
        call = Call(
            "GET",
            path_of("/v1/verifications/{id}/evidence", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.download(call)

    async def download_credential(
        self,
        id: str,
        capture_id: str,
        *,
        of: t.CredentialOf | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncDownload:
        """Download a photo with its Content Credentials.
        The photo with an embedded C2PA manifest: how it came here, the verdict, its entries in the log. docs/evidence.md lists what is claimed when. 202 while an entry of the log has no signed place yet.
        """
        call = Call(
            "GET",
            path_of("/v1/verifications/{id}/captures/{capture_id}/credential", id=id, capture_id=capture_id),
            query={"of": of},
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.download(call)

    async def keys(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.EvidenceKeys:
        """List the keys that sign evidence.
        A JWK Set. `vkey` is the key as tools for transparency logs take it. Retired keys stay listed.
        """
        call = Call(
            "GET",
            "/v1/evidence-keys",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.EvidenceKeys", await self._transport.json(call))


class AsyncPeopleResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def export_data(
        self,
        *,
        external_ref: str | None = None,
        email: str | None = None,
        phone_e164: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncDownload:
        """Export the personal data of one person.
        Answers a request for access by a person whose data you hold. Send exactly one of `external_ref`, `email` and `phone_e164`. The zip has a folder for each verification, with photos, record, webhooks and statements; `index.json` lists them. Somebody who is unknown gets an empty index.
        """
        call = Call(
            "GET",
            "/v1/people-data",
            query={"external_ref": external_ref, "email": email, "phone_e164": phone_e164},
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.download(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.Person, t.PersonList]:
        """List the account's people, newest first.
        Owners and the secret key see addresses and numbers; everybody else names and roles.
        """
        call = Call(
            "GET",
            "/v1/people",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def invite(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.Invitation],
    ) -> t.InvitedPerson:
        """Invite a person.
        The person is mailed a link that signs them in once, within 7 days. Without SMTP, or with only a phone number, the answer carries it as `sign_in_url`. Somebody who signs in to another account of the deployment already proves the address or number here as well; until then nothing of theirs changes.
        """
        call = Call(
            "POST",
            "/v1/people",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.InvitedPerson", await self._transport.json(call))

    async def update(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **body: Unpack[t.PersonPatch],
    ) -> t.Person:
        """Change a person's role or name.
        A changed role ends the person's sessions in the account.
        """
        call = Call(
            "PATCH",
            path_of("/v1/people/{id}", id=id),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Person", await self._transport.json(call))

    async def remove(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Remove a person.
        The person's sessions in the account end with this answer.
        """
        call = Call(
            "DELETE",
            path_of("/v1/people/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)

    async def end_sessions(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """End a person's sessions in the account"""
        call = Call(
            "DELETE",
            path_of("/v1/people/{id}/sessions", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)


class AsyncReviewsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def claim_next(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.NextReview],
    ) -> t.Verification | None:
        """Claim the next case.
        Returns the case that has waited longest and claims it for 10 minutes; each action on it renews the claim. No two people ever hold one case. 204: nothing waits for this person.
        """
        call = Call(
            "POST",
            "/v1/reviews/next",
            body=body or None,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Verification | None", await self._transport.json(call))

    async def agreement(
        self,
        *,
        since: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.ReviewAgreement:
        """Get reviewer agreement and review times.
        Over the decisions since a moment, by default of the last 90 days. The numbers are of the whole account: none is of one person.
        """
        call = Call(
            "GET",
            "/v1/reviews/agreement",
            query={"since": since},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.ReviewAgreement", await self._transport.json(call))

    async def replay(
        self,
        *,
        doubtful: float | None = None,
        confident: float | None = None,
        mode: t.Mode | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.Replay:
        """Replay recent cases under other thresholds.
        Judges up to 10,000 of the last completed verifications again, with other thresholds of the screen detector, and says which verdicts would be different. Changes nothing: the thresholds are settings of the deployment. Leaves out cases whose outcome `test_outcome` forced. A secret key sees live verifications unless `mode=test`.
        """
        call = Call(
            "GET",
            "/v1/reviews/replay",
            query={"doubtful": doubtful, "confident": confident, "mode": mode},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Replay", await self._transport.json(call))

    async def claim(
        self,
        verification_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.Verification:
        """Claim a case.
        Claims a case that you opened yourself for 10 minutes, or renews your claim. A verification that is not up for review becomes so.
        """
        call = Call(
            "POST",
            path_of("/v1/reviews/{verification_id}/claim", verification_id=verification_id),
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Verification", await self._transport.json(call))

    async def release(
        self,
        verification_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Release a claimed case.
        Ends your claim, so that others can take the case at once. Without a claim it changes nothing.
        """
        call = Call(
            "POST",
            path_of("/v1/reviews/{verification_id}/release", verification_id=verification_id),
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        await self._transport.nothing(call)

    async def add(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.ReviewInput],
    ) -> t.Review:
        """Decide a case.
        A person's decision beside the verdict, which it never changes. `approved`, `rejected` and `retake` decide; `escalated` leaves the case open for members and owners. Without a claim, the case is taken for this one decision.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{id}/reviews", id=id),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Review", await self._transport.json(call))

    async def undo(
        self,
        id: str,
        review_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Undo a review.
        Its author may, within 10 minutes and until another person has reviewed the case. The review stays and carries `struck_at`; the case is open again, and held by its author. Taking it back again changes nothing.
        """
        call = Call(
            "DELETE",
            path_of("/v1/verifications/{id}/reviews/{review_id}", id=id, review_id=review_id),
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)


class AsyncBatchesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        body: t.BatchRequest | str,
        *,
        dry_run: bool | None = None,
        send: bool | None = None,
        template_id: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.BatchCheck | t.Batch:
        """Create verifications from a list.
        Send `text/csv` with a header, or JSON. CSV is UTF-8 or UTF-16, or what the `charset` of its Content-Type names. Columns: `name`, `email`, `phone_e164`, `external_ref`, `asset_ref`, `expected_location`, `expected_object`, `condition_aspects` (`;` between), `ocr_type`, `metadata.<key>`. Any fault refuses the whole batch; `dry_run` reports every fault with row and column and makes nothing. Each row gets exactly one verification, in the background.
        """
        call = Call(
            "POST",
            "/v1/batches",
            query={"dry_run": dry_run, "send": send, "template_id": template_id},
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.BatchCheck | t.Batch", await self._transport.json(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.Batch, t.BatchList]:
        """List batches, newest first"""
        call = Call(
            "GET",
            "/v1/batches",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.Batch:
        """Get a batch with its progress"""
        call = Call(
            "GET",
            path_of("/v1/batches/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Batch", await self._transport.json(call))

    async def cancel(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.Batch:
        """Cancel a batch.
        Makes no more rows. Verifications that were made stay. Cancelling a batch that has ended changes nothing.
        """
        call = Call(
            "POST",
            path_of("/v1/batches/{id}/cancel", id=id),
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Batch", await self._transport.json(call))

    async def results(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncDownload:
        """Download the results of a batch.
        CSV with `row`, `id`, `capture_url` and `error`, a line for each row. A row that waits has neither. People whose role may not create verifications get no `capture_url`.
        """
        call = Call(
            "GET",
            path_of("/v1/batches/{id}/results", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.download(call)


class AsyncBulkActsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.BulkActRequest],
    ) -> t.BulkAct:
        """Create a bulk action.
        Send `ids`, or `filter` with the filters of the list: then the act reaches every verification that passes and was created before this request. It runs in the background, one verification at a time, and each gets its own line in the audit log. `redact` needs the role owner and a recent sign-in.
        """
        call = Call(
            "POST",
            "/v1/bulk-acts",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.BulkAct", await self._transport.json(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.BulkAct, t.BulkActList]:
        """List bulk actions, newest first"""
        call = Call(
            "GET",
            "/v1/bulk-acts",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.BulkAct:
        """Get a bulk action with its progress"""
        call = Call(
            "GET",
            path_of("/v1/bulk-acts/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.BulkAct", await self._transport.json(call))

    async def cancel(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.BulkAct:
        """Cancel a bulk action.
        Leaves the verifications alone that were not reached. What was done stays done. Stopping again changes nothing.
        """
        call = Call(
            "POST",
            path_of("/v1/bulk-acts/{id}/cancel", id=id),
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.BulkAct", await self._transport.json(call))

    async def results(
        self,
        id: str,
        *,
        result: Literal["failed"] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncDownload:
        """Download the results of a bulk action.
        CSV with `id`, `result` (`done`, `failed`, `waiting`, or `not_done` after the act was stopped), `error` (a code of the API, for `failed`) and `created_id` (the verification that `reissue` made).
        """
        call = Call(
            "GET",
            path_of("/v1/bulk-acts/{id}/results", id=id),
            query={"result": result},
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.download(call)


class AsyncCapturesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get_session(
        self,
        token: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.EndUserView:
        """Get what the capture page needs.
        Works for closed verifications too: `status` tells the page which screen to show.
        """
        call = Call(
            "GET",
            path_of("/v1/verify/{token}", token=token),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.EndUserView", await self._transport.json(call))

    async def create_challenge(
        self,
        token: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.ChallengeRequest],
    ) -> t.Challenge:
        """Get the moves of a camera session.
        For an image step of a verification that requires `depth`. Film while the person makes the moves, upload the film as a trace and send `challenge_id`, `trace_key` and `trace_sha256` with the photo. A challenge works for one photo of this step; asking again ends the one before.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{token}/challenges", token=token),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Challenge", await self._transport.json(call))

    async def announce_film(
        self,
        token: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.FilmAnnouncement],
    ) -> t.AnnouncedFilm:
        """Announce the film of a camera session.
        Sends the hashes of photo and film as soon as both are made, before the bytes. The service notes the time by its own clock: a film that it hears of after `expires_at` counts as late. The first announcement of a challenge counts; repeat it as often as you need.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{token}/films", token=token),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.AnnouncedFilm", await self._transport.json(call))

    async def create_upload_url(
        self,
        token: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.UploadUrlRequest],
    ) -> t.UploadUrlResponse:
        """Get an upload URL for one picture or trace.
        Send the raw bytes with PUT and the returned headers. The URL works once, for five minutes, and only for this content type. A trace has the content type `application/vnd.firsthand.trace` and at most 1500000 bytes.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{token}/captures/upload-url", token=token),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.UploadUrlResponse", await self._transport.json(call))

    async def submit(
        self,
        token: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.CaptureRequest],
    ) -> t.EndUserView:
        """Submit a photo.
        Send the picture inline as base64 (up to 6 MB), or name a finished upload by its `image_key`.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{token}/captures", token=token),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.EndUserView", await self._transport.json(call))

    async def submit_answers(
        self,
        token: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.AnswersRequest],
    ) -> t.EndUserView:
        """Answer text steps.
        You can replace an answer until the verification is completed.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{token}/answers", token=token),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.EndUserView", await self._transport.json(call))

    async def report_progress(
        self,
        token: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.ProgressRequest],
    ) -> None:
        """Report progress on the capture page.
        Each report replaces the previous one. Send `abandoned: true` when the person leaves before finishing.
        """
        call = Call(
            "POST",
            path_of("/v1/verifications/{token}/progress", token=token),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        await self._transport.nothing(call)


class AsyncTrialsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.TrialRequest],
    ) -> t.Trial:
        """Create a trial verification, without an account.
        A trial has one step and lasts ten minutes. Each IP address may create ten per hour.
        """
        call = Call(
            "POST",
            "/v1/trial/verifications",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Trial", await self._transport.json(call))

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.Trial:
        """Get the result of a trial"""
        call = Call(
            "GET",
            path_of("/v1/trial/verifications/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Trial", await self._transport.json(call))


class AsyncApiKeysResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.CreateApiKey],
    ) -> t.NewApiKey:
        """Create a publishable key.
        A key with `scopes` is for apps: it creates verifications from one link template, and lists and reads nothing. Only this response shows the key. A retry with the same `Idempotency-Key` creates no second key and does not repeat it. If you lost the response, revoke the key and create another.
        """
        call = Call(
            "POST",
            "/v1/api-keys",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.NewApiKey", await self._transport.json(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.ApiKey, t.ApiKeyList]:
        """List active keys, newest first"""
        call = Call(
            "GET",
            "/v1/api-keys",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.ApiKey:
        """Get a key, without the key itself"""
        call = Call(
            "GET",
            path_of("/v1/api-keys/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.ApiKey", await self._transport.json(call))

    async def revoke(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Revoke a key.
        After this response every node rejects the key. You cannot undo this.
        """
        call = Call(
            "DELETE",
            path_of("/v1/api-keys/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)


class AsyncSettingsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.Settings:
        """Get the settings"""
        call = Call(
            "GET",
            "/v1/settings",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Settings", await self._transport.json(call))

    async def update(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **body: Unpack[t.SettingsPatch],
    ) -> t.Settings:
        """Change settings.
        Settings you leave out stay as they are. A change applies to verifications created later, of the review settings to those that end later, and of `allowed_origins` to every link at once.
        """
        call = Call(
            "PATCH",
            "/v1/settings",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Settings", await self._transport.json(call))


class AsyncChatWebhookResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.ChatWebhook:
        """Get the chat webhook.
        Whether there is one, and its host. No answer shows its path, which is a secret.
        """
        call = Call(
            "GET",
            "/v1/chat-webhook",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.ChatWebhook", await self._transport.json(call))

    async def put(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **body: Unpack[t.ChatWebhookInput],
    ) -> t.ChatWebhook:
        """Set the chat webhook.
        The chat gets a message when a verdict is `suspicious` or `failed`, and when a verification fails. A message that is not taken is retried for hours.
        """
        call = Call(
            "PUT",
            "/v1/chat-webhook",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.ChatWebhook", await self._transport.json(call))

    async def delete(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Remove the chat webhook"""
        call = Call(
            "DELETE",
            "/v1/chat-webhook",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)

    async def test(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.ChatWebhookTest:
        """Send a test message to the chat.
        Posts once, now, and answers with what the chat said.
        """
        call = Call(
            "POST",
            "/v1/chat-webhook/test",
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.ChatWebhookTest", await self._transport.json(call))


class AsyncBrandsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def put(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **body: Unpack[t.BrandInput],
    ) -> t.Brand:
        """Create or replace a brand.
        Colors, origins and a return address that you leave out are removed. A logo you leave out stays, because no response repeats its bytes; send `null` to remove it. Logos are converted to PNG of at most 512×512 pixels. `worn_colors` holds the colors the pages use: an accent with too little contrast (WCAG AA) is made darker or lighter.
        """
        call = Call(
            "PUT",
            path_of("/v1/brands/{slug}", slug=slug),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Brand", await self._transport.json(call))

    async def get(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.Brand:
        """Get a brand"""
        call = Call(
            "GET",
            path_of("/v1/brands/{slug}", slug=slug),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Brand", await self._transport.json(call))

    async def delete(
        self,
        slug: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Delete a brand.
        Verifications with this brand then show the default brand.
        """
        call = Call(
            "DELETE",
            path_of("/v1/brands/{slug}", slug=slug),
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.Brand, t.BrandList]:
        """List brands, newest first"""
        call = Call(
            "GET",
            "/v1/brands",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def get_logo(
        self,
        name: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncDownload:
        """Get a brand's logo.
        Returns a PNG. The URL always returns the same picture. A new logo gets a new URL.
        """
        call = Call(
            "GET",
            path_of("/brand-logos/{name}", name=name),
            timeout=timeout,
            max_retries=max_retries,
        )
        return await self._transport.download(call)


class AsyncLinkTemplatesResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.LinkTemplateInput],
    ) -> t.LinkTemplate:
        """Create a link template.
        Each person who opens the `url` gets a verification of their own, made from the current version. A template that a secret key creates makes live verifications.
        """
        call = Call(
            "POST",
            "/v1/link-templates",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.LinkTemplate", await self._transport.json(call))

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.LinkTemplate, t.LinkTemplateList]:
        """List link templates, newest first"""
        call = Call(
            "GET",
            "/v1/link-templates",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def update(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        **body: Unpack[t.LinkTemplateInput],
    ) -> t.LinkTemplate:
        """Publish a new version of a link template.
        The URL stays the same. Verifications made earlier keep their version. A `webhook_url` that you send as it was shown, with `***` for its secret, keeps the secret of the version before.
        """
        call = Call(
            "PUT",
            path_of("/v1/link-templates/{id}", id=id),
            body=body,
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.LinkTemplate", await self._transport.json(call))

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.LinkTemplateWithVersions:
        """Get a link template with all its versions"""
        call = Call(
            "GET",
            path_of("/v1/link-templates/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.LinkTemplateWithVersions", await self._transport.json(call))

    async def revoke(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.LinkTemplate:
        """Revoke a link template.
        The URL makes no more verifications and shows a page that says so. Verifications made earlier continue. Revoking again changes nothing.
        """
        call = Call(
            "POST",
            path_of("/v1/link-templates/{id}/revoke", id=id),
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.LinkTemplate", await self._transport.json(call))


class AsyncStatisticsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        interval: t.StatisticsInterval | None = None,
        by: t.StatisticsGrouping | None = None,
        mode: t.Mode | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.Statistics:
        """Count verifications over time.
        Every count is of the verifications that were created in the bucket, whenever the rest happened, so recent buckets still change. Buckets follow UTC and weeks begin on Monday; the bucket that holds `from` counts whole. Without `from`: the last 24 hours, 30 days or 26 weeks. Seconds to capture and to verdict run from the creation, seconds to review from the moment the case was open for review. A secret key sees live verifications unless `mode=test`.
        """
        call = Call(
            "GET",
            "/v1/statistics",
            query={"from": from_, "to": to, "interval": interval, "by": by, "mode": mode},
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Statistics", await self._transport.json(call))


class AsyncAuditLogResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.AuditEntry, t.AuditEntryList]:
        """List the audit log, newest first"""
        call = Call(
            "GET",
            "/v1/audit-log",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)


class AsyncSystemResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.System:
        """Get the state of the installation.
        What is configured, and what each missing part costs. `firsthand doctor` says the same with names of folders and servers; it also asks the vision model a question and computes every seal.
        """
        call = Call(
            "GET",
            "/v1/system",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.System", await self._transport.json(call))


class AsyncWebhooksResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list_deliveries(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        verification_id: str | None = None,
        status: t.DeliveryStatus | None = None,
        type: t.WebhookEventType | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.WebhookDelivery, t.WebhookDeliveryList]:
        """List webhook deliveries, newest first.
        Each delivery lists its attempts, with the first 1 kB of each response.
        """
        call = Call(
            "GET",
            "/v1/webhook-deliveries",
            query={"limit": limit, "cursor": cursor, "verification_id": verification_id, "status": status, "type": type},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def retry_delivery(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.WebhookDelivery:
        """Send a delivery again now.
        Sends the delivery again, whatever its status, with the same `webhook-id`. A disabled endpoint gets one attempt; if it succeeds, the endpoint is enabled again.
        """
        call = Call(
            "POST",
            path_of("/v1/webhook-deliveries/{id}/retry", id=id),
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.WebhookDelivery", await self._transport.json(call))

    async def recover_deliveries(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.RecoverRequest],
    ) -> t.Recovered:
        """Send failed deliveries again.
        Sends every failed delivery created at or after `since`, to one `url` or to all, including those that a disabled endpoint missed. Enable the endpoint first: deliveries to a disabled endpoint stay failed.
        """
        call = Call(
            "POST",
            "/v1/webhook-deliveries/recover",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Recovered", await self._transport.json(call))

    def list_endpoints(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncList[t.WebhookEndpoint, t.WebhookEndpointList]:
        """List webhook endpoints, newest first"""
        call = Call(
            "GET",
            "/v1/webhook-endpoints",
            query={"limit": limit, "cursor": cursor},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.list(call)

    async def enable_endpoint(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.WebhookEndpoint:
        """Enable a disabled endpoint.
        The endpoint gets new events from now on. To send the events it missed, call `POST /v1/webhook-deliveries/recover`.
        """
        call = Call(
            "POST",
            path_of("/v1/webhook-endpoints/{id}/enable", id=id),
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.WebhookEndpoint", await self._transport.json(call))

    async def send_test(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.TestEventRequest],
    ) -> t.TestEventAccepted:
        """Send a test event to a URL.
        Sends a signed `webhook.test` and retries it like any other event. The delivery shows each attempt.
        """
        call = Call(
            "POST",
            "/v1/webhooks/test",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.TestEventAccepted", await self._transport.json(call))

    async def get_secret(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.WebhookSecret:
        """Get the secret that signs webhooks"""
        call = Call(
            "GET",
            "/v1/webhook-secret",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.WebhookSecret", await self._transport.json(call))

    async def rotate_secret(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.RotateSecretRequest],
    ) -> t.WebhookSecret:
        """Rotate the webhook secret.
        Webhooks carry signatures of both the old and the new secret for `overlap_seconds`, so you can update receivers without downtime. A retry with the same `Idempotency-Key` rotates nothing and does not repeat the secrets: get them with `GET /v1/webhook-secret`.
        """
        call = Call(
            "POST",
            "/v1/webhook-secret/rotate",
            body=body or None,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.WebhookSecret", await self._transport.json(call))


class AsyncEventsResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def resend(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.ResendRequest],
    ) -> t.ResentDeliveries:
        """Send an event again.
        Sends the event to every URL it went to, or only to `url`, with the same `webhook-id`.
        """
        call = Call(
            "POST",
            path_of("/v1/events/{id}/resend", id=id),
            body=body or None,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.ResentDeliveries", await self._transport.json(call))

    def stream(
        self,
        *,
        cursor: str | None = None,
        mode: t.Mode | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        on_reconnect: Callable[[FirsthandError], None] | None = None,
    ) -> AsyncGenerator[ServerSentEvent, None]:
        """Follow the account's events.
        Streams one server-sent event for each webhook, even without a webhook URL. `data` is `{id, type, livemode, body}`, where `body` is the exact text of the webhook. The `id` of each event is a cursor: send it back as `Last-Event-ID` or `cursor` to continue after it without a gap. Without a cursor the stream begins now.
        """
        call = Call(
            "GET",
            "/v1/events/stream",
            query={"cursor": cursor, "mode": mode},
            timeout=timeout,
            max_retries=max_retries,
        )
        return self._transport.events(call, on_reconnect)


class AsyncSignInResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def methods(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.SignInMethods:
        """List the sign-in methods"""
        call = Call(
            "GET",
            "/v1/auth/methods",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.SignInMethods", await self._transport.json(call))

    async def request_magic_link(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.MagicLinkRequest],
    ) -> t.Nothing:
        """Ask for a sign-in link by e-mail.
        The answer is the same whether or not anybody has this address. The link works once, for 10 minutes.
        """
        call = Call(
            "POST",
            "/v1/auth/magic-link",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Nothing", await self._transport.json(call))

    async def redeem_magic_link(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.TokenRequest],
    ) -> t.Me:
        """Sign in with the token of a link.
        Takes the tokens of mailed links and of invitations. Opening a link uses nothing up; this does.
        """
        call = Call(
            "POST",
            "/v1/auth/magic-link/redeem",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Me", await self._transport.json(call))

    async def request_one_time_code(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.OneTimeCodeRequest],
    ) -> t.OneTimeCode:
        """Ask for a sign-in code by message.
        The answer is the same whether or not anybody has this number.
        """
        call = Call(
            "POST",
            "/v1/auth/one-time-code",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.OneTimeCode", await self._transport.json(call))

    async def redeem_one_time_code(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.OneTimeCodeRedeem],
    ) -> t.Me:
        """Sign in with a code.
        Five tries, within 10 minutes; then the code is dead.
        """
        call = Call(
            "POST",
            "/v1/auth/one-time-code/redeem",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Me", await self._transport.json(call))

    async def create_passkey_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.PasskeyOptions:
        """Begin to sign in with a passkey.
        Answers `PublicKeyCredentialRequestOptionsJSON`, for `navigator.credentials.get`. It names no passkey: the browser offers those it has.
        """
        call = Call(
            "POST",
            "/v1/auth/passkey/options",
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.PasskeyOptions", await self._transport.json(call))

    async def with_passkey(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.PasskeyAssertion],
    ) -> t.Me:
        """Sign in with a passkey.
        The body is the `AuthenticationResponseJSON` of the browser.
        """
        call = Call(
            "POST",
            "/v1/auth/passkey/redeem",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Me", await self._transport.json(call))

    async def redeem_first_run_link(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.TokenRequest],
    ) -> t.Me:
        """Sign in with the link of the first start.
        Takes the token of `dashboard_url` in first-run.json, and of `firsthand sign-in-link`. Once, within 24 hours.
        """
        call = Call(
            "POST",
            "/v1/auth/first-run",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Me", await self._transport.json(call))

    async def sign_out(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Sign out.
        The session ends on every node, and the cookie is taken back.
        """
        call = Call(
            "POST",
            "/v1/auth/sign-out",
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        await self._transport.nothing(call)


class AsyncMeResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.Me:
        """Get the signed-in person"""
        call = Call(
            "GET",
            "/v1/me",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.Me", await self._transport.json(call))

    async def switch_tenant(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.SwitchTenant],
    ) -> t.Me:
        """Switch to another account, or between live and test.
        Holds for this session, and for where the next one begins. Switching to an account of `invitations` accepts the invitation.
        """
        call = Call(
            "POST",
            "/v1/me/tenant",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Me", await self._transport.json(call))

    async def create_passkey_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
    ) -> t.PasskeyOptions:
        """Begin to add a passkey.
        Answers `PublicKeyCredentialCreationOptionsJSON`, for `navigator.credentials.create`.
        """
        call = Call(
            "POST",
            "/v1/me/passkeys/options",
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.PasskeyOptions", await self._transport.json(call))

    async def add_passkey(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        idempotency_key: str | None = None,
        **body: Unpack[t.NewPasskey],
    ) -> t.Passkey:
        """Add a passkey.
        `response` is the `RegistrationResponseJSON` of the browser. The passkey opens the accounts that this session opens, without invitations that wait.
        """
        call = Call(
            "POST",
            "/v1/me/passkeys",
            body=body,
            timeout=timeout,
            max_retries=max_retries,
            idempotency_key=idempotency_key,
        )
        return cast("t.Passkey", await self._transport.json(call))

    async def delete_passkey(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """Remove a passkey.
        It opens no account of this session from this answer on, and ends altogether if it opens no other. Sessions it opened go on.
        """
        call = Call(
            "DELETE",
            path_of("/v1/me/passkeys/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)

    async def list_sessions(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.SessionList:
        """List my sessions, newest first"""
        call = Call(
            "GET",
            "/v1/me/sessions",
            timeout=timeout,
            max_retries=max_retries,
        )
        return cast("t.SessionList", await self._transport.json(call))

    async def end_other_sessions(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """End all my sessions but this one"""
        call = Call(
            "DELETE",
            "/v1/me/sessions",
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)

    async def end_session(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        """End one of my sessions"""
        call = Call(
            "DELETE",
            path_of("/v1/me/sessions/{id}", id=id),
            timeout=timeout,
            max_retries=max_retries,
        )
        await self._transport.nothing(call)


class AsyncApi:
    """The resources without methods by hand."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.evidence = AsyncEvidenceResource(transport)
        self.people = AsyncPeopleResource(transport)
        self.reviews = AsyncReviewsResource(transport)
        self.batches = AsyncBatchesResource(transport)
        self.bulk_acts = AsyncBulkActsResource(transport)
        self.trials = AsyncTrialsResource(transport)
        self.api_keys = AsyncApiKeysResource(transport)
        self.settings = AsyncSettingsResource(transport)
        self.chat_webhook = AsyncChatWebhookResource(transport)
        self.brands = AsyncBrandsResource(transport)
        self.link_templates = AsyncLinkTemplatesResource(transport)
        self.statistics = AsyncStatisticsResource(transport)
        self.audit_log = AsyncAuditLogResource(transport)
        self.system = AsyncSystemResource(transport)
        self.sign_in = AsyncSignInResource(transport)
        self.me = AsyncMeResource(transport)
