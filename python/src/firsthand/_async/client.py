from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import TYPE_CHECKING

import httpx

from .. import _core as core
from .._core import StreamedEvent
from .._errors import FirsthandError, ServiceTimeoutError
from .._typing import Self
from ..webhooks import TOLERANCE, HeaderPairs, HeaderSource, WebhookEvent, verify_webhook
from .resources import (
    AsyncApi,
    AsyncCapturesResource,
    AsyncEventsResource,
    AsyncVerificationsResource,
    AsyncWebhooksResource,
)
from .transport import AsyncTransport

if TYPE_CHECKING:
    from .. import types as t

_FIRST_LOOK = 0.1
_LONGEST_LOOK = 5.0


class AsyncVerifications(AsyncVerificationsResource):
    async def wait_for_verdict(
        self, id: str, *, wait: float = core.WAIT, timeout: float | None = None, max_retries: int | None = None
    ) -> t.Verification:
        """Waits until the verification has a verdict or has ended without one (`expired`, `failed`).

        Args:
            wait: seconds to wait at most. Give up later than the link expires to wait for the person too.

        Raises:
            ServiceTimeoutError: after `wait` seconds
        """
        until = time.monotonic() + wait
        look = _FIRST_LOOK
        while True:
            verification = await self.get(id, timeout=timeout, max_retries=max_retries)
            if verification.get("verdict") or verification["status"] in ("expired", "failed"):
                return verification
            left = until - time.monotonic()
            if left <= 0:
                raise ServiceTimeoutError(
                    f"{id} has no verdict after {wait:g} s; its status is {verification['status']}"
                )
            await asyncio.sleep(min(look, left))
            look = min(_LONGEST_LOOK, look * 1.3)


class AsyncCaptures(AsyncCapturesResource):
    async def upload(
        self,
        token: str,
        photo: bytes,
        *,
        content_type: str = "image/jpeg",
        step_key: str | None = None,
        surface: str | None = None,
        captured_at: datetime | None = None,
        location: t.GeoPoint | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
    ) -> t.EndUserView:
        """Uploads a photo and submits it: `create_upload_url`, the PUT, `submit`. Safe to call again after an error.

        Args:
            step_key: the step that the photo fills; the first with room unless given
            captured_at: when the photo was taken; without a time zone it is the local time
        """
        wanted: t.UploadUrlRequest = {"contentType": content_type, "size_bytes": len(photo)}
        capture: t.CaptureRequest = {"image_sha256": hashlib.sha256(photo).hexdigest()}
        if step_key is not None:
            wanted["step_key"] = capture["step_key"] = step_key
        if surface is not None:
            capture["surface"] = surface
        if captured_at is not None:
            capture["client_captured_at"] = core.utc(captured_at)
        if location is not None:
            capture["location"] = location
        target = await self.create_upload_url(token, timeout=timeout, max_retries=max_retries, **wanted)
        await self._transport.put(target, photo, timeout)
        capture["image_key"] = target["image_key"]
        return await self.submit(token, timeout=timeout, max_retries=max_retries, **capture)


class AsyncWebhooks(AsyncWebhooksResource):
    def __init__(self, transport: AsyncTransport, secret: str | Sequence[str] | None) -> None:
        super().__init__(transport)
        self._secret = secret

    def unwrap(
        self,
        payload: bytes | str,
        headers: Mapping[str, str] | HeaderSource | HeaderPairs,
        secret: str | Sequence[str] | None = None,
        *,
        tolerance: float = TOLERANCE,
    ) -> WebhookEvent:
        """Checks the signature and the age of a webhook and returns its event.

        Args:
            payload: the request body as it came: bytes or text, never parsed and written again
            secret: `whsec_…`; the client's `webhook_secret` unless given

        Raises:
            WebhookVerificationError: with a `reason`
        """
        return verify_webhook(payload, headers, self._secret if secret is None else secret, tolerance=tolerance)


class AsyncEvents(AsyncEventsResource):
    async def follow(
        self,
        *,
        cursor: str | None = None,
        mode: t.Mode | None = None,
        on_reconnect: Callable[[FirsthandError], None] | None = None,
    ) -> AsyncGenerator[StreamedEvent, None]:
        """Follows the events of the account, as `stream` does, without the messages that only carry the cursor."""
        async with aclosing(self.stream(cursor=cursor, mode=mode, on_reconnect=on_reconnect)) as messages:
            async for message in messages:
                event = core.streamed(message)
                if event:
                    yield event


class AsyncFirsthand(AsyncApi):
    """The service's API, with asyncio.

    >>> async with AsyncFirsthand(os.environ["FIRSTHAND_KEY"], base_url="https://photos.example") as firsthand:
    ...     verification = await firsthand.verifications.create(max_captures=2)
    """

    def __init__(
        self,
        key: str | None,
        *,
        base_url: str,
        webhook_secret: str | Sequence[str] | None = None,
        timeout: float = core.TIMEOUT,
        max_retries: int = core.MAX_RETRIES,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """
        Args:
            key: `pk_…` or `rk_secret_…`; None for calls that need no key, such as those of a capture link
            base_url: origin of the service, such as `https://photos.example`
            webhook_secret: `whsec_…`, for `webhooks.unwrap`; several while a secret is being rotated
            timeout: seconds that a connection and each wait for bytes may take, also while a photo is uploaded
            max_retries: attempts after the first
            http_client: in place of a client of its own, for a proxy or certificates. You close it.
        """
        self._transport = AsyncTransport(key, base_url, timeout, max_retries, http_client)
        super().__init__(self._transport)
        self.verifications = AsyncVerifications(self._transport)
        self.captures = AsyncCaptures(self._transport)
        self.webhooks = AsyncWebhooks(self._transport, webhook_secret)
        self.events = AsyncEvents(self._transport)

    async def aclose(self) -> None:
        """Closes the connections, unless the `http_client` was passed in."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
