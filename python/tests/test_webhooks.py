from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from firsthand.webhooks import WebhookVerificationError, sign_webhook, verify_webhook


def secret_of(text: str) -> str:
    return "whsec_" + base64.b64encode(text.encode()).decode()


SECRET = secret_of("a secret of thirty-two characters")
BODY = '{"type":"webhook.test","timestamp":"2026-11-21T09:30:00.000Z","data":{"message":"ü","livemode":true}}'


def reason_of(payload: Any, headers: Any, secret: Any, **more: Any) -> str | None:
    try:
        verify_webhook(payload, headers, secret, **more)
    except WebhookVerificationError as error:
        return error.reason
    return None


def test_agrees_with_the_specifications_test_vector() -> None:
    # Standard Webhooks 1.0, its example of a symmetric signature.
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    event: object = verify_webhook('{"test": 2432232314}', headers, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", now=1614265330)
    assert event == {"test": 2432232314}


def test_signs_as_hmac_sha256_over_id_timestamp_and_body() -> None:
    signature = sign_webhook("evt_1", BODY, SECRET, at=1_700_000_000.999)["webhook-signature"]
    digest = hmac.digest(b"a secret of thirty-two characters", f"evt_1.1700000000.{BODY}".encode(), hashlib.sha256)
    assert signature == "v1," + base64.b64encode(digest).decode()


def test_accepts_bytes_headers_in_any_case_several_signatures_and_several_secrets() -> None:
    other = secret_of("another")
    signed = sign_webhook("evt_1", BODY, SECRET)
    beside = sign_webhook("evt_1", BODY, other)
    both = {**signed, "webhook-signature": f"v2,abc {beside['webhook-signature']} {signed['webhook-signature']}"}
    event = json.loads(BODY)
    assert verify_webhook(BODY.encode(), httpx.Headers(both), SECRET) == event
    upper = {name.upper(): value for name, value in both.items()}
    assert verify_webhook(BODY, upper, [secret_of("old"), other]) == event


@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
def test_accepts_headers_as_pairs_and_with_lists_of_values(case: Callable[[str], str]) -> None:
    signed: Any = [(case(name), value) for name, value in sign_webhook("evt_1", BODY, SECRET).items()]
    as_bytes: Any = [(name.encode(), value.encode()) for name, value in signed]
    lists: list[Any] = [[name, value] for name, value in signed]
    for headers in (signed, tuple(signed), as_bytes, lists):
        assert verify_webhook(BODY, headers, SECRET) == json.loads(BODY)
    assert verify_webhook(BODY, {name: [value] for name, value in signed}, SECRET) == json.loads(BODY)
    assert verify_webhook(BODY, {name: (value,) for name, value in signed}, SECRET) == json.loads(BODY)
    assert reason_of(BODY, signed[:2], SECRET) == "missing_header"
    assert reason_of(BODY, [(name, "") for name, _ in signed], SECRET) == "missing_header"


def test_refuses_one_changed_byte_anywhere() -> None:
    headers = sign_webhook("evt_1", BODY, SECRET)
    drawn = random.Random(1)
    for at in range(len(BODY.encode())):
        changed = bytearray(BODY.encode())
        changed[at] ^= drawn.randint(1, 255)
        assert reason_of(bytes(changed), headers, SECRET) == "bad_signature"
    assert reason_of(BODY, {**headers, "webhook-id": "evt_2"}, SECRET) == "bad_signature"
    assert reason_of(BODY, headers, secret_of("no")) == "bad_signature"
    signature = headers["webhook-signature"]
    for wrong in (signature[:-8], signature[3:], "v1,", "v1,ü", "v1,***"):
        assert reason_of(BODY, {**headers, "webhook-signature": wrong}, SECRET) == "bad_signature"


def test_refuses_a_webhook_that_is_too_old_or_too_new() -> None:
    headers = sign_webhook("evt_1", BODY, SECRET, at=1_700_000_000)
    seen = [reason_of(BODY, headers, SECRET, now=1_700_000_000 + seconds) for seconds in (300, 301, -300, -301)]
    assert seen == [None, "too_old", None, "too_new"]
    near = [reason_of(BODY, headers, SECRET, now=1_700_000_000 + seconds, tolerance=10) for seconds in (10, 11)]
    assert near == [None, "too_old"]


def test_names_the_fault_of_a_foreign_request() -> None:
    headers = sign_webhook("evt_1", BODY, SECRET)
    for name in headers:
        without = {key: value for key, value in headers.items() if key != name}
        assert reason_of(BODY, without, SECRET) == "missing_header"
        assert reason_of(BODY, {**headers, name: ""}, SECRET) == "missing_header"
    for timestamp in ("1e9", "-1", "١٢٣", "1" * 13):
        assert reason_of(BODY, {**headers, "webhook-timestamp": timestamp}, SECRET) == "bad_timestamp"
    for secret in ("whsec_", "whsec_***", "whsec_ü", "", None, [], [""]):
        assert reason_of(BODY, headers, secret) == "bad_secret"
    for text in ("not JSON", "\ufeff{}"):
        assert reason_of(text, sign_webhook("evt_1", text, SECRET), SECRET) == "bad_body"
    assert reason_of(json.loads(BODY), headers, SECRET) == "bad_body"
