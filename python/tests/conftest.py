"""One test for both clients: `both` hands out the client with `async` and the one without."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from firsthand import AsyncFirsthand, Firsthand

BASE = "https://photos.example"
Reply = Any  # a response, an exception to raise, or a function of the request


def answer(body: Any, status: int = 200, **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, content=json.dumps(body), headers={"request-id": "01JREQUEST", **names})


def refusal(code: str, status: int, retry_after: str = "0") -> httpx.Response:
    return answer({"error": {"code": code, "message": "No."}}, status, retry_after=retry_after)


class Clients:
    """Runs an act with a client whose requests are answered in turn, and keeps the requests."""

    def __init__(self, is_async: bool) -> None:
        self.is_async = is_async
        self.asked: list[httpx.Request] = []

    def run(self, replies: list[Reply], act: Callable[[Any], Any], **options: Any) -> Any:
        def respond(request: httpx.Request) -> httpx.Response:
            self.asked.append(request)
            reply = replies.pop(0)
            if isinstance(reply, Exception):
                raise reply
            found: httpx.Response = reply(request) if callable(reply) else reply
            return found

        transport = httpx.MockTransport(respond)
        if not self.is_async:
            with httpx.Client(transport=transport) as http:
                found = act(Firsthand("pk_test_1", base_url=f"{BASE}/", http_client=http, **options))
                return list(found) if inspect.isgenerator(found) else found

        async def running() -> Any:
            async with httpx.AsyncClient(transport=transport) as http:
                found = act(AsyncFirsthand("pk_test_1", base_url=f"{BASE}/", http_client=http, **options))
                if hasattr(found, "__aiter__"):
                    return [item async for item in found]
                return await found if inspect.isawaitable(found) else found

        return asyncio.run(running())


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def both(request: pytest.FixtureRequest) -> Clients:
    return Clients(request.param)
