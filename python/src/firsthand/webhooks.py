"""The signature of webhooks: Standard Webhooks 1.0, HMAC-SHA256 over `id.timestamp.body`."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, Union, cast

from ._errors import FirsthandError
from .types import TestEvent, VerificationEvent

#: The body of a webhook. Its `type` tells which.
WebhookEvent: TypeAlias = Union[VerificationEvent, TestEvent]

#: The reason to reject a webhook. Answer 400 and read nothing else of it.
WebhookFault: TypeAlias = Literal[
    "missing_header", "bad_timestamp", "too_old", "too_new", "bad_signature", "bad_secret", "bad_body"
]

_PREFIX = "whsec_"
_VERSION = "v1,"
TOLERANCE = 300.0


class WebhookVerificationError(FirsthandError):
    """The webhook is not genuine. `reason` says why; `code` is the same."""

    reason: WebhookFault

    def __init__(self, reason: WebhookFault, message: str) -> None:
        super().__init__(message, code=reason)
        self.reason = reason


class HeaderSource(Protocol):
    """Headers as Django, Flask, Starlette, httpx and `http.server` have them; a dict works too."""

    def get(self, key: str, /) -> Any: ...


#: Headers as ASGI, WSGI and `http.client` list them: names and values as text or bytes.
HeaderPairs: TypeAlias = Iterable[tuple[Union[str, bytes], Union[str, bytes]]]


def verify_webhook(
    payload: bytes | str,
    headers: Mapping[str, str] | HeaderSource | HeaderPairs,
    secret: str | Sequence[str] | None,
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> WebhookEvent:
    """Checks a webhook's signature, in constant time, and its age, and returns its event.

    Args:
        payload: the request body exactly as it came: bytes or text, never parsed and written again
        headers: the headers of the request, in any case: a mapping, or a list of pairs; a value may be a list
        secret: `whsec_…`; several while a secret is being rotated
        tolerance: the allowed difference between the sender's clock and yours in seconds, either way
        now: seconds since 1970; the current time unless given

    Raises:
        WebhookVerificationError: with a `reason`
    """
    if not isinstance(payload, (bytes, str)):
        raise WebhookVerificationError(
            "bad_body",
            "the body was already parsed; pass the raw bytes of the request, for example request.body of Django",
        )
    keys = [_key_of(one) for one in _secrets_of(secret)]
    event_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    given = [
        one.removeprefix(_VERSION).encode()
        for one in _header(headers, "webhook-signature").split(" ")
        if one.startswith(_VERSION)
    ]
    _check_age(timestamp, tolerance, time.time() if now is None else now)
    body = payload.encode() if isinstance(payload, str) else payload
    signatures = [_signature(key, event_id, timestamp, body) for key in keys]
    # Each is compared, so that the time does not say which one matched.
    matches = [hmac.compare_digest(mine, theirs) for mine in signatures for theirs in given]
    if not any(matches):
        raise WebhookVerificationError("bad_signature", "no signature of this webhook was made with a secret given")
    try:
        return cast("WebhookEvent", json.loads(body.decode()))
    except ValueError as cause:
        raise WebhookVerificationError("bad_body", "the body is signed and is not JSON") from cause


def sign_webhook(event_id: str, body: str, secret: str, *, at: float | None = None) -> dict[str, str]:
    """The three headers of a webhook, as the service makes them; for testing a receiver.

    Args:
        at: seconds since 1970; the current time unless given
    """
    timestamp = str(int(time.time() if at is None else at))
    signature = _signature(_key_of(secret), event_id, timestamp, body.encode())
    return {
        "webhook-id": event_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": _VERSION + signature.decode(),
    }


def _signature(key: bytes, event_id: str, timestamp: str, body: bytes) -> bytes:
    signed = f"{event_id}.{timestamp}.".encode() + body
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256))


def _secrets_of(secret: str | Sequence[str] | None) -> Sequence[str]:
    secrets = [secret] if isinstance(secret, str) else (secret or [])
    if not secrets or not all(isinstance(one, str) and one for one in secrets):
        raise WebhookVerificationError("bad_secret", "no secret was given; is its environment variable set?")
    return secrets


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise WebhookVerificationError("bad_secret", "a webhook secret is whsec_ followed by base64")
    return key


def _header(headers: Mapping[str, str] | HeaderSource | HeaderPairs, name: str) -> str:
    if isinstance(headers, Mapping):
        pairs: Iterable[tuple[Any, Any]] = headers.items()
    elif hasattr(headers, "get"):
        pairs = [(name, cast("HeaderSource", headers).get(name))]
    else:
        pairs = headers
    # A service signs with several secrets in one header, between spaces; a proxy may hand them on one by one.
    value = " ".join(text for key, given in pairs if _text(key).lower() == name for text in _texts(given))
    if not value:
        raise WebhookVerificationError("missing_header", f"the header {name} is missing")
    return value


def _texts(value: Any) -> list[str]:
    return [_text(one) for one in (value if isinstance(value, (list, tuple)) else [value]) if one]


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _check_age(timestamp: str, tolerance: float, now: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("bad_timestamp", "webhook-timestamp is not a number of seconds")
    age = int(now) - int(timestamp)
    if age > tolerance:
        raise WebhookVerificationError("too_old", f"the webhook was signed {age} s ago")
    if -age > tolerance:
        raise WebhookVerificationError(
            "too_new", f"the webhook was signed {-age} s in the future; are the clocks right?"
        )
