"""What the client and the async client share: calls, retries, errors, streams."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote
from urllib.request import getproxies_environment

import httpx

from ._errors import ApiError, FieldFault, FirsthandError, ServiceConnectionError, ServiceTimeoutError
from .errors import ERRORS

TIMEOUT = 60.0
MAX_RETRIES = 2
#: A longer `Retry-After` is the caller's to wait for.
LONGEST_RETRY_AFTER = 60.0
#: Between two looks at a download that the service still prepares.
PREPARING = 2.0
WAIT = 300.0
_FIRST_DELAY = 0.5
_LONGEST_DELAY = 8.0
_RETRIED = (408, 429)


@dataclass(frozen=True)
class Call:
    """One operation with its arguments. None means: not given."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    #: Text is sent as CSV, everything else as JSON.
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None
    max_retries: int | None = None
    idempotency_key: str | None = None


class ServerSentEvent(NamedTuple):
    """A message of a stream. `data` is its parsed JSON, `id` the cursor after it."""

    id: str | None
    event: str
    data: Any


class StreamedEvent(NamedTuple):
    """One event of the account. `body` is the JSON text that webhooks carry."""

    #: The cursor after this event.
    cursor: str
    id: str
    type: str
    livemode: bool
    body: str


def path_of(template: str, **values: str) -> str:
    """Fills a path in. An empty value would name another path."""
    for name, value in values.items():
        if not isinstance(value, str) or not value:
            raise TypeError(f"{name} of {template} is a text that is not empty")
    return template.format(**{name: quote(value, safe="") for name, value in values.items()})


def query_of(query: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value
        for given, argument in query.items()
        if argument is not None
        for name, value in _parameters(given, argument)
    }


def _parameters(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, text in value.items():
            yield f"{name}[{key}]", str(text)
    elif isinstance(value, bool):
        yield name, "true" if value else "false"
    elif isinstance(value, str) or not hasattr(value, "__iter__"):
        yield name, str(value)
    else:
        # Several values stand in one parameter, between commas.
        yield name, ",".join(str(one) for one in value)


def checked_base(base_url: str | None) -> str:
    if not base_url or not re.match(r"https?://", base_url):
        raise FirsthandError(
            "give base_url, the address of your service, such as https://photos.example", code="no_base_url"
        )
    return base_url.rstrip("/")


def checked_key(key: str | None) -> str | None:
    if key == "":
        raise FirsthandError("give a key; is its environment variable set?", code="no_key")
    return key


H = TypeVar("H")


def own_http(client: Callable[[], H]) -> H:
    """A client of httpx, which reads the variables of the environment that name a proxy."""
    try:
        return client()
    except (ImportError, ValueError, httpx.InvalidURL) as cause:
        names = ", ".join(f"{kind.upper()}_PROXY" for kind in sorted(getproxies_environment()))
        if not names:
            raise
        raise FirsthandError(
            f"httpx cannot use the proxy of the environment ({names}): {cause} Change the variable, or pass http_client.",
            code="bad_proxy",
        ) from cause


def content_of(body: Any) -> tuple[bytes | None, dict[str, str]]:
    if body is None:
        return None, {}
    if isinstance(body, str):
        return body.encode(), {"content-type": "text/csv"}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(), {"content-type": "application/json"}


def parsed(response: httpx.Response) -> Any:
    if not response.content:
        return None
    try:
        return json.loads(response.content)
    except ValueError as cause:
        raise FirsthandError(
            f"{response.url} does not answer as Firsthand does; check base_url", code="not_firsthand"
        ) from cause


def error_of(response: httpx.Response) -> ApiError:
    """The error that an answer stands for. Its body was read before."""
    try:
        found = json.loads(response.content)["error"]
        code, message = str(found["code"]), str(found["message"])
        doc_url, params = found.get("doc_url"), found.get("params")
        fields = tuple(fault_of(one) for one in found.get("fields") or ())
    except (ValueError, TypeError, KeyError):
        code, message = f"http_{response.status_code}", f"{response.url} answered {response.status_code}"
        doc_url, params, fields = None, None, ()
    words = "; ".join(f"{fault.path} {fault.message}" for fault in fields)
    return ERRORS.get(code, ApiError)(
        f"{message} {words}" if words else message,
        code=code,
        status=response.status_code,
        fields=fields,
        params=params,
        doc_url=doc_url,
        request_id=response.headers.get("request-id"),
        retry_after=retry_after(response),
    )


def fault_of(one: dict[str, Any]) -> FieldFault:
    return FieldFault(one["path"], one["message"], one.get("code", "invalid"), one.get("params", {}))


def lost(url: object, error: httpx.RequestError) -> FirsthandError:
    """The error of a request without an answer."""
    if isinstance(error, httpx.TimeoutException):
        return ServiceTimeoutError(f"{url} gave no answer in time ({type(error).__name__})")
    return ServiceConnectionError(str(url), str(error) or type(error).__name__)


def is_transient(error: FirsthandError) -> bool:
    if isinstance(error, ApiError):
        return error.status >= 500 or error.status in _RETRIED or error.code == "idempotency_in_progress"
    return isinstance(error, (ServiceConnectionError, ServiceTimeoutError))


def delay(error: FirsthandError, attempt: int) -> float:
    """What the service asks for, or else a doubling wait of which up to half is left out by chance."""
    if isinstance(error, ApiError) and error.retry_after is not None:
        return error.retry_after
    # The exponent is bounded: a stream may be lost for days.
    return float(min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(attempt, 10)) * (1 - random.random() / 2))


def retry_after(response: httpx.Response) -> float | None:
    """`Retry-After` as seconds or as a date, in seconds."""
    text = response.headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    return max(0.0, (at - datetime.now(timezone.utc if at.tzinfo else None)).total_seconds())


def utc(at: datetime) -> str:
    return at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def filename_of(response: httpx.Response) -> str | None:
    """The name alone: what a file is called must not choose its folder."""
    found = re.search(r'filename="([^"]*)"', response.headers.get("content-disposition", ""))
    name = re.split(r"[\\/]", found[1])[-1] if found else ""
    return name if name not in ("", ".", "..") else None


def size_of(response: httpx.Response) -> int | None:
    length = response.headers.get("content-length", "")
    return int(length) if length.isdigit() else None


def streamed(message: ServerSentEvent) -> StreamedEvent | None:
    """The event of a message; None for those that only carry the cursor."""
    if message.event != "event":
        return None
    data = message.data
    return StreamedEvent(message.id or "", data["id"], data["type"], data["livemode"], data["body"])


class MessageParser:
    """Server-sent events from the bytes of a stream."""

    def __init__(self) -> None:
        self._rest = b""
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []

    def feed(self, arrived: bytes) -> Iterator[ServerSentEvent]:
        # Not `splitlines`: it also ends a line at characters that JSON texts may contain.
        *lines, self._rest = (self._rest + arrived).split(b"\n")
        for line in lines:
            name, _, value = line.removesuffix(b"\r").decode().partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                self._id = value
            elif name == "event":
                self._event = value
            elif name == "data":
                self._data.append(value)
            elif name == "" and not line.startswith(b":"):
                yield from self._ended()

    def _ended(self) -> Iterator[ServerSentEvent]:
        if self._data:
            data = "\n".join(self._data)
            yield ServerSentEvent(self._id, self._event or "message", json.loads(data) if data else None)
        self._id, self._event, self._data = None, "", []


