from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import httpx

from .. import _core as core
from .._core import Call, ServerSentEvent
from .._errors import FirsthandError, ServiceConnectionError, ServiceTimeoutError
from .._typing import Self

if TYPE_CHECKING:
    from ..types import UploadUrlResponse

T = TypeVar("T")
P = TypeVar("P")


class AsyncList(Generic[T, P]):
    """A list of the service: loop over it for every item of all pages, or take one `page()`."""

    def __init__(self, load: Callable[[str | None], Awaitable[P]]) -> None:
        self._load = load

    async def page(self) -> P:
        """The first page, or the one at the `cursor` given. Its `next_cursor` names the next one."""
        return await self._load(None)

    async def pages(self) -> AsyncIterator[P]:
        page = await self.page()
        while True:
            yield page
            cursor = cast("dict[str, Any]", page).get("next_cursor")
            if not cursor:
                return
            page = await self._load(cursor)

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in cast("dict[str, Any]", page)["data"]:
                yield item


class AsyncDownload:
    """Bytes on their way. Take them once: `save`, `read`, `text` or `iter_bytes`. `with` gives an unread rest back."""

    content_type: str
    #: As the service names the file.
    filename: str | None
    #: How many bytes, where the service knows.
    size: int | None

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.content_type = response.headers.get("content-type", "application/octet-stream")
        self.filename = core.filename_of(response)
        self.size = core.size_of(response)

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._response.aiter_bytes():
                yield part
        except httpx.RequestError as error:
            raise core.lost(self._response.url, error) from error
        finally:
            await self.aclose()

    async def read(self) -> bytes:
        return b"".join([part async for part in self.iter_bytes()])

    async def text(self) -> str:
        return (await self.read()).decode()

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, which is there only when it is whole."""
        target = Path(path)
        part = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
        try:
            with part.open("wb") as file:
                async for some in self.iter_bytes():
                    file.write(some)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    async def aclose(self) -> None:
        await self._response.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class AsyncTransport:
    def __init__(
        self,
        key: str | None,
        base_url: str | None,
        timeout: float,
        max_retries: int,
        http_client: httpx.AsyncClient | None,
    ) -> None:
        self._headers = {"authorization": f"Bearer {key}"} if core.checked_key(key) else {}
        self._base = core.checked_base(base_url)
        self._timeout = timeout
        self._max_retries = max_retries
        self._owns_http = http_client is None
        self._http = http_client or core.own_http(httpx.AsyncClient)
        self._process = os.getpid()

    @property
    def http(self) -> httpx.AsyncClient:
        if self._owns_http and self._process != os.getpid():
            # A forked worker: the open connections are its parent's, and two processes would read each other's answers.
            self._parents = self._http
            self._http = core.own_http(httpx.AsyncClient)
            self._process = os.getpid()
        return self._http

    async def aclose(self) -> None:
        """Closes the connections. A client that was passed in is its owner's to close."""
        if self._owns_http:
            await self.http.aclose()

    async def json(self, call: Call) -> Any:
        return core.parsed(await self._send(call))

    async def nothing(self, call: Call) -> None:
        await self._send(call)

    def list(self, call: Call) -> AsyncList[Any, Any]:
        async def load(cursor: str | None) -> Any:
            return await self.json(replace(call, query={**call.query, "cursor": cursor}) if cursor else call)

        return AsyncList(load)

    async def download(self, call: Call) -> AsyncDownload:
        """Waits while the service answers 202: it still prepares the file."""
        until = time.monotonic() + self._timeout_of(call)
        while True:
            response = await self._send(call, stream=True)
            if response.status_code != 202:
                return AsyncDownload(response)
            await response.aclose()
            asked = core.retry_after(response)
            wait = core.PREPARING if asked is None else asked
            if time.monotonic() + wait > until:
                raise ServiceTimeoutError(f"{response.url} is not ready yet; ask again in {wait:.0f} s")
            await asyncio.sleep(wait)

    async def events(
        self, call: Call, on_reconnect: Callable[[FirsthandError], None] | None
    ) -> AsyncGenerator[ServerSentEvent, None]:
        """Follows a stream. Connects again at its cursor whenever it is lost; ends when the service refuses or asks for a wait of
        more than a minute.
        """
        cursor: str | None = None
        lost = 0
        while True:
            try:
                headers = {"last-event-id": cursor} if cursor else {}
                response = await self._send(replace(call, headers=headers), stream=True)
                async with aclosing(_messages(response)) as messages:
                    async for message in messages:
                        lost = 0
                        cursor = message.id or cursor
                        yield message
                raise ServiceConnectionError(str(response.url))
            except FirsthandError as error:
                wait = core.delay(error, lost)
                if not core.is_transient(error) or wait > core.LONGEST_RETRY_AFTER:
                    raise
                if on_reconnect:
                    on_reconnect(error)
            lost += 1
            await asyncio.sleep(wait)

    async def put(self, target: UploadUrlResponse, content: bytes, timeout: float | None) -> None:
        """Uploads bytes. An upload URL works once, so a lost PUT is the caller's to repeat with a new one."""
        request = self.http.build_request(
            target["method"],
            target["upload_url"],
            content=content,
            headers=target["headers"],
            timeout=self._timeout if timeout is None else timeout,
        )
        await self._answer(request, False)

    def _timeout_of(self, call: Call) -> float:
        return self._timeout if call.timeout is None else call.timeout

    async def _send(self, call: Call, stream: bool = False) -> httpx.Response:
        """The answer to a call, after its retries. Its body is read, unless it is a stream."""
        if call.method == "POST":
            key = call.idempotency_key or str(uuid.uuid4())
            call = replace(call, headers={**call.headers, "idempotency-key": key})
        retries = self._max_retries if call.max_retries is None else call.max_retries
        attempt = 0
        while True:
            try:
                return await self._attempt(call, stream)
            except FirsthandError as error:
                wait = core.delay(error, attempt)
                if attempt >= retries or not core.is_transient(error) or wait > core.LONGEST_RETRY_AFTER:
                    raise
            attempt += 1
            await asyncio.sleep(wait)

    async def _attempt(self, call: Call, stream: bool) -> httpx.Response:
        content, content_headers = core.content_of(call.body)
        request = self.http.build_request(
            call.method,
            f"{self._base}{call.path}",
            params=core.query_of(call.query) or None,
            content=content,
            headers={**self._headers, **content_headers, **call.headers},
            timeout=self._timeout_of(call),
        )
        return await self._answer(request, stream)

    async def _answer(self, request: httpx.Request, stream: bool) -> httpx.Response:
        try:
            response = await self.http.send(request, stream=stream)
            if not response.is_success:
                await response.aread()
        except httpx.RequestError as error:
            raise core.lost(request.url, error) from error
        if not response.is_success:
            raise core.error_of(response)
        return response


async def _messages(response: httpx.Response) -> AsyncGenerator[ServerSentEvent, None]:
    parser = core.MessageParser()
    try:
        async for part in response.aiter_bytes():
            for message in parser.feed(part):
                yield message
    except httpx.RequestError as error:
        raise core.lost(response.url, error) from error
    finally:
        await response.aclose()
