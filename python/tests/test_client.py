from __future__ import annotations

import hashlib
import json
import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import BASE, Clients, answer, refusal

import firsthand
from firsthand import (
    ApiError,
    Firsthand,
    FirsthandError,
    IdempotencyConflictError,
    InvalidRequestError,
    NotFoundError,
    ServiceConnectionError,
    ServiceTimeoutError,
)
from firsthand.webhooks import WebhookVerificationError, sign_webhook

ID = "vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z"
DOC_URL = "http://localhost:8080/docs/errors#invalid_request"


def test_sends_path_query_body_and_key_where_the_operation_has_them(both: Clients) -> None:
    both.run([answer({"id": ID})], lambda c: c.verifications.create(max_captures=2, metadata={"claim": "ü"}))
    both.run(
        [answer({"data": []})],
        lambda c: c.verifications.list(status=["completed", "failed"], limit=5, metadata={"claim": "C 1"}).page(),
    )
    both.run([answer({})], lambda c: c.verifications.finalize("a/b", narrative="It rained."))
    both.run([answer({"rows": 1})], lambda c: c.batches.create("name\nAda", dry_run=True))
    both.run([answer({"rows": 1})], lambda c: c.batches.create({"rows": [{"name": "Ada"}]}))
    both.run([answer({"buckets": []})], lambda c: c.statistics.get(from_="2026-01-01"))
    both.run([answer({})], lambda c: c.settings.update(retention_days=None))
    both.run([httpx.Response(204)], lambda c: c.api_keys.revoke("key_1"))
    asked = [(one.method, str(one.url)[len(BASE) :], one.content.decode()) for one in both.asked]
    assert asked == [
        ("POST", "/v1/verifications", '{"max_captures":2,"metadata":{"claim":"ü"}}'),
        ("GET", "/v1/verifications?limit=5&status=completed%2Cfailed&metadata%5Bclaim%5D=C+1", ""),
        ("POST", "/v1/verifications/a%2Fb/finalize", '{"narrative":"It rained."}'),
        ("POST", "/v1/batches?dry_run=true", "name\nAda"),
        ("POST", "/v1/batches", '{"rows":[{"name":"Ada"}]}'),
        ("GET", "/v1/statistics?from=2026-01-01", ""),
        ("PATCH", "/v1/settings", '{"retention_days":null}'),
        ("DELETE", "/v1/api-keys/key_1", ""),
    ]
    assert {one.headers["authorization"] for one in both.asked} == {"Bearer pk_test_1"}
    assert both.asked[0].headers["content-type"] == "application/json"
    assert both.asked[3].headers["content-type"] == "text/csv"
    with pytest.raises(TypeError, match="id of /v1/verifications/{id}"):
        both.run([], lambda c: c.verifications.get(""))


@pytest.mark.parametrize(
    "first",
    [
        ("too_many_requests", 429),
        ("internal_error", 500),
        ("storage_unavailable", 503),
        ("idempotency_in_progress", 409),
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("late"),
        httpx.RemoteProtocolError("cut"),
    ],
    ids=str,
)
def test_retries_a_post_with_the_same_idempotency_key(both: Clients, first: Any) -> None:
    reply = refusal(*first) if isinstance(first, tuple) else first
    assert both.run([reply, answer({"id": ID}, 201)], lambda c: c.verifications.create())["id"] == ID
    keys = [one.headers["idempotency-key"] for one in both.asked]
    assert len(keys) == 2 and keys[0] == keys[1] and len(keys[0]) == 36


def test_retries_what_a_proxy_answers(both: Clients) -> None:
    not_ready = httpx.Response(502, text="<html>", headers={"retry-after": "0"})
    both.run([not_ready, answer({"id": ID}, 201)], lambda c: c.verifications.create())
    assert len(both.asked) == 2


def test_each_post_has_a_key_of_its_own_or_the_callers(both: Clients) -> None:
    both.run([answer({"id": ID})], lambda c: c.verifications.create())
    both.run([answer({"id": ID})], lambda c: c.verifications.create())
    both.run([answer({"id": ID})], lambda c: c.verifications.create(idempotency_key="claim-1042"))
    both.run([answer({"id": ID})], lambda c: c.verifications.get(ID))
    keys = [one.headers.get("idempotency-key") for one in both.asked]
    assert keys[0] != keys[1] and keys[2:] == ["claim-1042", None]


def test_waits_for_retry_after_and_leaves_a_wait_over_a_minute_to_the_caller(both: Clients) -> None:
    began = time.monotonic()
    both.run([refusal("too_many_requests", 429, "1"), answer({"id": ID})], lambda c: c.verifications.get(ID))
    assert time.monotonic() - began > 0.99
    for asked, seconds in (("61", 61), (format_datetime(datetime.now(timezone.utc) + timedelta(seconds=90)), 90)):
        with pytest.raises(firsthand.TooManyRequestsError) as caught:
            both.run([refusal("too_many_requests", 429, asked)], lambda c: c.verifications.get(ID))
        assert caught.value.retry_after == pytest.approx(seconds, abs=2)


def test_gives_up_after_max_retries(both: Clients) -> None:
    down = [httpx.ConnectError("[Errno 111] Connection refused")] * 3
    with pytest.raises(ServiceConnectionError, match=r"does not answer \(.*refused\)"):
        both.run(down[:2], lambda c: c.verifications.get(ID), max_retries=1)
    assert len(both.asked) == 2
    with pytest.raises(ConnectionError):
        both.run(down[:1], lambda c: c.verifications.get(ID, max_retries=0))


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("invalid_request", 400, InvalidRequestError),
        ("not_found", 404, NotFoundError),
        ("idempotency_conflict", 422, IdempotencyConflictError),
        ("a_code_of_a_later_version", 409, ApiError),
    ],
)
def test_raises_the_class_of_a_code_once_with_the_request_id(
    both: Clients, code: str, status: int, kind: type[ApiError]
) -> None:
    fields = [{"path": "steps.0.max", "message": "must be at least 1", "code": "too_small", "params": {"min": 1}}]
    with pytest.raises(ApiError) as caught:
        both.run(
            [answer({"error": {"code": code, "message": "No.", "doc_url": DOC_URL, "fields": fields, "params": {"sent": "session"}}}, status)],
            lambda c: c.verifications.create(),
        )
    error = caught.value
    assert type(error) is kind
    assert (error.code, error.status, error.request_id) == (code, status, "01JREQUEST")
    assert error.fields == (("steps.0.max", "must be at least 1", "too_small", {"min": 1}),)
    assert error.params == {"sent": "session"}
    assert error.doc_url == DOC_URL
    assert str(error) == "No. steps.0.max must be at least 1"
    assert len(both.asked) == 1


def test_tells_an_answer_of_something_else_from_one_of_the_service(both: Clients) -> None:
    with pytest.raises(FirsthandError, match="check base_url") as caught:
        both.run([httpx.Response(200, text="<html>")], lambda c: c.verifications.get(ID))
    assert caught.value.code == "not_firsthand"
    with pytest.raises(ApiError) as moved:
        both.run([httpx.Response(301, headers={"location": "/"})], lambda c: c.verifications.get(ID))
    assert moved.value.code == "http_301"


def test_gives_each_request_the_time_of_the_client_or_of_the_call(both: Clients) -> None:
    both.run([answer({})], lambda c: c.verifications.get(ID), timeout=7)
    both.run([answer({})], lambda c: c.verifications.get(ID, timeout=2), timeout=7)
    assert [one.extensions["timeout"]["read"] for one in both.asked] == [7, 2]
    with pytest.raises(TimeoutError) as caught:
        both.run([httpx.ReadTimeout("")], lambda c: c.verifications.get(ID, max_retries=0))
    assert isinstance(caught.value, ServiceTimeoutError)


def test_loops_over_every_item_of_all_pages(both: Clients) -> None:
    pages = [answer({"data": [{"id": "a"}, {"id": "b"}], "next_cursor": "two"}), answer({"data": [{"id": "c"}]})]

    def ids(client: Any) -> Any:
        listed = client.verifications.list(limit=2)
        return listed if both.is_async else iter(listed)

    assert [item["id"] for item in both.run(pages, ids)] == ["a", "b", "c"]
    assert str(both.asked[1].url) == f"{BASE}/v1/verifications?limit=2&cursor=two"


def test_waits_for_a_file_that_is_being_prepared_and_saves_it_whole(both: Clients, tmp_path: Path) -> None:
    headers = {"content-type": "application/zip", "content-disposition": f'attachment; filename="../{ID}.zip"'}
    file = httpx.Response(200, content=b"PK" * 100_000, headers=headers)
    wait = httpx.Response(202, headers={"retry-after": "0"})
    download = both.run([wait, file], lambda c: c.evidence.download(ID))
    assert (download.content_type, download.filename, download.size) == ("application/zip", f"{ID}.zip", 200_000)
    assert len(both.asked) == 2

    async def saving(client: Any) -> None:
        async with await client.evidence.download(ID) as found:
            await found.save(tmp_path / "case.zip")

    def save(client: Any) -> Any:
        if both.is_async:
            return saving(client)
        with client.evidence.download(ID) as found:
            found.save(tmp_path / "case.zip")
        return None

    both.run([httpx.Response(200, content=b"PK" * 100_000)], save)
    assert (tmp_path / "case.zip").read_bytes() == b"PK" * 100_000

    class Cut(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Any:
            yield b"XX"
            raise httpx.ReadError("cut")

        async def __aiter__(self) -> Any:
            yield b"XX"
            raise httpx.ReadError("cut")

    with pytest.raises(ServiceConnectionError):
        both.run([httpx.Response(200, stream=Cut())], save)
    assert [file.name for file in tmp_path.iterdir()] == ["case.zip"]
    assert (tmp_path / "case.zip").read_bytes() == b"PK" * 100_000


def test_waits_for_a_verdict_and_says_what_it_waited_for(both: Clients) -> None:
    def seen(**more: Any) -> httpx.Response:
        return answer({"id": ID, "status": "partially_captured", **more})

    done = [seen(), seen(), seen(status="completed", verdict={"label": "verified"})]
    assert both.run(done, lambda c: c.verifications.wait_for_verdict(ID))["verdict"]["label"] == "verified"
    with pytest.raises(ServiceTimeoutError, match="partially_captured"):
        both.run([seen(), seen()], lambda c: c.verifications.wait_for_verdict(ID, wait=0.01))
    ended = both.run([seen(status="expired")], lambda c: c.verifications.wait_for_verdict(ID))
    assert ended["status"] == "expired"


def test_follows_events_over_a_lost_connection_from_its_cursor(both: Clients) -> None:
    def stream(*blocks: str) -> httpx.Response:
        return httpx.Response(200, content="".join(f"{block}\n\n" for block in blocks).encode())

    def event(event_id: str, cursor: str) -> str:
        # A line separator is no end of a line in a stream of events.
        data = {"id": event_id, "type": "verification.created", "livemode": False, "body": '{"a":"\u2028"}'}
        return f"event: event\nid: {cursor}\ndata: {json.dumps(data, ensure_ascii=False)}"

    replies = [
        stream(": ping", "event: ready\nid: 1\ndata: {}", event("evt_1", "2")),
        stream(event("evt_2", "3").replace("\n", "\r\n")),
        refusal("unauthorized", 401),
    ]
    seen: list[str] = []
    lost: list[FirsthandError] = []

    async def following(client: Any) -> None:
        async for one in client.events.follow(mode="test", on_reconnect=lost.append):
            seen.append(f"{one.id} at {one.cursor} {one.body}")

    def follow(client: Any) -> Any:
        if both.is_async:
            return following(client)
        for one in client.events.follow(mode="test", on_reconnect=lost.append):
            seen.append(f"{one.id} at {one.cursor} {one.body}")
        return None

    with pytest.raises(firsthand.UnauthorizedError):
        both.run(replies, follow)
    assert seen == ['evt_1 at 2 {"a":"\u2028"}', 'evt_2 at 3 {"a":"\u2028"}']
    assert [one.headers.get("last-event-id") for one in both.asked] == [None, "2", "3"]
    assert len(lost) == 2


def test_uploads_a_photo_without_its_own_key_in_the_request_to_the_store(both: Clients) -> None:
    target = {"image_key": "k", "upload_url": "https://store.example/put", "method": "PUT", "headers": {"x-a": "1"}}
    taken = datetime(2026, 11, 21, 10, 30, tzinfo=timezone(timedelta(hours=1)))
    both.run(
        [answer(target, 201), httpx.Response(200), answer({"status": "completed"}, 201)],
        lambda c: c.captures.upload(ID, b"photo", step_key="front", captured_at=taken),
    )
    wanted, put, submitted = both.asked
    assert json.loads(wanted.content) == {"contentType": "image/jpeg", "size_bytes": 5, "step_key": "front"}
    assert (put.method, put.content, put.headers["x-a"]) == ("PUT", b"photo", "1")
    assert "authorization" not in put.headers
    assert json.loads(submitted.content) == {
        "image_sha256": hashlib.sha256(b"photo").hexdigest(),
        "step_key": "front",
        "client_captured_at": "2026-11-21T09:30:00.000Z",
        "image_key": "k",
    }


def test_gives_an_upload_the_time_of_the_client_or_of_the_call(both: Clients) -> None:
    target = {"image_key": "k", "upload_url": "https://store.example/put", "method": "PUT", "headers": {}}
    for own, seconds in ((None, 7), (2, 2)):

        def upload(client: Any, own: float | None = own) -> Any:
            return client.captures.upload(ID, b"photo", timeout=own)

        both.run([answer(target, 201), httpx.Response(200), answer({}, 201)], upload, timeout=7)
        assert [one.extensions["timeout"]["write"] for one in both.asked[-3:]] == [seconds] * 3
    with pytest.raises(ServiceTimeoutError):
        both.run([answer(target, 201), httpx.WriteTimeout("")], lambda c: c.captures.upload(ID, b"photo"))


@pytest.mark.parametrize("asked", ["61", "2592000", "9" * 400, "Tue, 01 Jan 2999 00:00:00 GMT"])
def test_leaves_a_wait_over_a_minute_of_a_stream_or_a_file_to_the_caller(both: Clients, asked: str) -> None:
    async def following(client: Any) -> None:
        async for _ in client.events.follow():
            pass

    def follow(client: Any) -> Any:
        return following(client) if both.is_async else list(client.events.follow())

    with pytest.raises(ApiError) as caught:
        both.run([refusal("storage_unavailable", 503, asked)], follow)
    assert (caught.value.retry_after or 0) > 60
    preparing = httpx.Response(202, headers={"retry-after": asked})
    with pytest.raises(ServiceTimeoutError, match="not ready yet; ask again in"):
        both.run([preparing], lambda c: c.evidence.download(ID))
    assert len(both.asked) == 2


def test_unwraps_a_webhook_to_its_event(both: Clients) -> None:
    secret = "whsec_YW4gZXhhbXBsZSBvZiBhIHdlYmhvb2sgc2VjcmV0ISE="
    body = json.dumps({"type": "verification.completed", "timestamp": "2026-11-21T09:31:12.000Z", "data": {"id": ID}})
    headers = sign_webhook("evt_1", body, secret)
    event = both.run([], lambda c: c.webhooks.unwrap(body.encode(), headers), webhook_secret=secret)
    assert event["data"]["id"] == ID
    with pytest.raises(WebhookVerificationError) as caught:
        both.run([], lambda c: c.webhooks.unwrap(f"{body} ", headers, secret))
    assert caught.value.reason == "bad_signature"


def test_refuses_to_be_made_without_an_address_or_a_key() -> None:
    with pytest.raises(FirsthandError, match="environment variable"):
        Firsthand("", base_url=BASE)
    for address in ("", "photos.example"):
        with pytest.raises(FirsthandError, match="base_url"):
            Firsthand("pk_test_1", base_url=address)
    Firsthand(None, base_url=BASE).close()
