"""The client and the running service. The address and the keys come from the environment."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from firsthand import ApiError, AsyncFirsthand, Firsthand, InvalidRequestError, NotFoundError, UnauthorizedError

URL = os.environ.get("FIRSTHAND_URL", "")
pytestmark = pytest.mark.skipif(not URL, reason="FIRSTHAND_URL names no service")
STEPS: list[Any] = [{"key": "front", "min": 1, "max": 1}, {"type": "text", "key": "policy"}]


@pytest.fixture
def firsthand() -> Iterator[Firsthand]:
    with Firsthand(os.environ["FIRSTHAND_TEST_KEY"], base_url=URL) as client:
        yield client


@pytest.fixture
def owner() -> Iterator[Firsthand]:
    with Firsthand(os.environ["FIRSTHAND_SECRET_KEY"], base_url=URL) as client:
        yield client


@pytest.fixture
def photo() -> bytes:
    return Path(os.environ["FIRSTHAND_PHOTO"]).read_bytes()


@pytest.fixture
def hooks() -> Iterator[tuple[str, Queue[tuple[bytes, Any]]]]:
    """A receiver of webhooks, with the requests that it got."""
    arrived: Queue[tuple[bytes, Any]] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arrived.put((self.rfile.read(int(self.headers["content-length"])), self.headers))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hooks", arrived
    server.shutdown()
    thread.join()
    server.server_close()


def test_from_creation_to_a_verified_webhook_and_the_evidence(
    firsthand: Firsthand, owner: Firsthand, photo: bytes, hooks: Any, tmp_path: Path
) -> None:
    url, arrived = hooks
    secret = owner.webhooks.get_secret()["secret"]
    created = firsthand.verifications.create(
        steps=STEPS, webhook_url=url, metadata={"claim": "C-1042", "test_outcome": "screen_detected"}
    )
    token = created["id"]
    firsthand.captures.upload(token, photo, content_type="image/png", step_key="front")
    firsthand.captures.submit_answers(token, answers={"policy": "A-77"})
    done = firsthand.verifications.wait_for_verdict(token)
    assert done["verdict"]["reason_code"] == "screen_detected"

    seen: set[str] = set()
    while "verification.completed" not in seen:
        body, headers = arrived.get(timeout=30)
        event = firsthand.webhooks.unwrap(body, headers, secret)
        assert event["type"] != "webhook.test" and event["data"]["id"] == token
        seen.add(event["type"])
    assert "verification.created" in seen

    with firsthand.evidence.download(token) as bundle:
        assert bundle.content_type == "application/zip"
        bundle.save(tmp_path / "case.zip")
    assert (tmp_path / "case.zip").read_bytes()[:2] == b"PK"


def test_lists_over_pages_filters_and_exports(firsthand: Firsthand) -> None:
    metadata = {"series": os.urandom(8).hex()}
    made = {firsthand.verifications.create(max_captures=1, metadata=metadata)["id"] for _ in range(3)}
    page = firsthand.verifications.list(limit=2, metadata=metadata).page()
    assert len(page["data"]) == 2 and page["next_cursor"]
    assert {item["id"] for item in firsthand.verifications.list(limit=2, metadata=metadata)} == made
    rows = firsthand.verifications.export(id=sorted(made)).text().strip().splitlines()
    assert len(rows) == 4


def test_a_post_that_is_sent_again_makes_nothing_twice(firsthand: Firsthand) -> None:
    key = os.urandom(8).hex()
    first, second = (firsthand.verifications.create(max_captures=1, idempotency_key=key) for _ in range(2))
    assert first["id"] == second["id"]
    with pytest.raises(ApiError) as caught:
        firsthand.verifications.create(max_captures=2, idempotency_key=key)
    assert caught.value.code == "idempotency_conflict"


def test_names_the_error_and_its_fields(firsthand: Firsthand) -> None:
    with pytest.raises(NotFoundError) as missing:
        firsthand.verifications.get("vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z")
    assert missing.value.status == 404 and missing.value.request_id
    with pytest.raises(InvalidRequestError) as wrong:
        firsthand.verifications.create(steps=[{"key": "front", "min": 3, "max": 1}])
    assert wrong.value.fields[0].path.startswith("steps.0")
    assert wrong.value.fields[0].code
    assert wrong.value.doc_url
    with Firsthand("pk_test_no", base_url=URL) as stranger, pytest.raises(UnauthorizedError):
        stranger.verifications.list().page()


def test_checks_a_list_as_rows_and_as_csv(owner: Firsthand) -> None:
    template = owner.link_templates.create(name="Python", request={"max_captures": 1})
    rows = owner.batches.create(
        {"template_id": template["id"], "rows": [{"name": "Ada", "email": "ada@example.com"}]}, dry_run=True
    )
    csv = owner.batches.create("name,email\nAda,ada@example.com\n", dry_run=True, template_id=template["id"])
    assert rows == csv and "total" in csv and csv["total"] == 1


def test_sends_null_where_none_is_given(owner: Firsthand) -> None:
    before = owner.settings.get()
    after = owner.settings.update(notify_email=None)
    assert after.get("notify_email") is None
    assert {**after, "notify_email": 0} == {**before, "notify_email": 0}


def test_follows_events_from_a_cursor(firsthand: Firsthand, owner: Firsthand) -> None:
    cursor = next(owner.events.stream(mode="test")).id
    created = firsthand.verifications.create(max_captures=1)
    seen = next(owner.events.follow(cursor=cursor, mode="test"))
    assert seen.type == "verification.created" and not seen.livemode
    assert created["id"] in seen.body


def test_does_the_same_with_asyncio(photo: bytes) -> None:
    async def running() -> None:
        async with (
            AsyncFirsthand(os.environ["FIRSTHAND_TEST_KEY"], base_url=URL) as client,
            AsyncFirsthand(os.environ["FIRSTHAND_SECRET_KEY"], base_url=URL) as owner,
        ):
            async with aclosing(owner.events.stream(mode="test")) as messages:
                cursor = (await anext(messages)).id
            created = await asyncio.gather(*(client.verifications.create(max_captures=1, metadata={"test_outcome": "verified"}) for _ in range(3)))
            ids = [one["id"] for one in created]
            await client.captures.upload(ids[0], photo, content_type="image/png")
            assert "verdict" in await client.verifications.wait_for_verdict(ids[0])
            assert {item["id"] async for item in client.verifications.list(limit=1, id=ids)} == set(ids)
            download = await client.evidence.download(ids[0])
            assert (await download.read())[:2] == b"PK"
            async with aclosing(owner.events.follow(cursor=cursor, mode="test")) as events:
                assert (await anext(events)).type == "verification.created"

    asyncio.run(running())
