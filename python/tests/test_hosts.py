"""Programs around the client: pools of processes and threads, copies of errors, proxies of the environment."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from firsthand import (
    ApiError,
    FieldFault,
    Firsthand,
    FirsthandError,
    InvalidRequestError,
    NotFoundError,
    ServiceConnectionError,
    ServiceTimeoutError,
    WebhookVerificationError,
)

MISSING = "vfy_0"


class Service(BaseHTTPRequestHandler):
    """Answers with the id asked for and the port that asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        asked = self.path.split("/")[-1]
        missing = {"error": {"code": "not_found", "message": "Nothing was found."}}
        found = {"id": asked, "port": self.client_address[1]}
        body = json.dumps(missing if asked == MISSING else found).encode()
        self.send_response(404 if asked == MISSING else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def look_up(url: str, id: str) -> str:
    with Firsthand("pk_test_1", base_url=url) as client:
        return client.verifications.get(id)["id"]


#: A worker inherits it when its parent forks.
shared: Firsthand | None = None


def port_of(id: str) -> object:
    assert shared is not None
    found: dict[str, object] = dict(shared.verifications.get(id))
    assert found["id"] == id
    return found["port"]


def test_an_error_comes_out_of_a_pool_of_processes_and_the_pool_goes_on(url: str) -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(NotFoundError, match="Nothing was found") as caught:
            pool.submit(look_up, url, MISSING).result(timeout=60)
        assert (caught.value.status, caught.value.code) == (404, "not_found")
        assert pool.submit(look_up, url, "vfy_1").result(timeout=60) == "vfy_1"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
def test_a_forked_worker_opens_connections_of_its_own(url: str) -> None:
    global shared
    with Firsthand("pk_test_1", base_url=url) as shared:
        mine = port_of("vfy_1")
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
            theirs = pool.submit(port_of, "vfy_2").result(timeout=60)
        assert port_of("vfy_3") == mine
        assert theirs != mine


def test_threads_share_a_client(url: str) -> None:
    ids = [f"vfy_{at}" for at in range(1, 40)]
    with Firsthand("pk_test_1", base_url=url) as client, ThreadPoolExecutor(8) as pool:
        asked: list[Future[str]] = [pool.submit(lambda id: client.verifications.get(id)["id"], id) for id in ids]
        assert [one.result() for one in asked] == ids


@pytest.mark.parametrize(
    "error",
    [
        FirsthandError("No.", code="no_key", request_id="01J"),
        ApiError("No.", code="http_502", status=502, retry_after=3.0),
        InvalidRequestError("No.", code="invalid_request", status=400, fields=(FieldFault("steps", "is missing"),)),
        ServiceConnectionError("https://photos.example"),
        ServiceTimeoutError("late"),
        WebhookVerificationError("too_old", "the webhook was signed 400 s ago"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_are_pickled_and_copied_whole(error: FirsthandError) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(error, protocol))
        assert (type(again), str(again), again.args, vars(again)) == (type(error), str(error), error.args, vars(error))
    for twin in (copy.copy(error), copy.deepcopy(error)):
        assert (type(twin), str(twin), vars(twin)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize(
    ("name", "value"),
    [("ALL_PROXY", "socks4://10.0.0.1:1080"), ("HTTPS_PROXY", "ftp://10.0.0.1"), ("https_proxy", "http://[::1")],
)
def test_says_which_proxy_of_the_environment_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(FirsthandError, match=f"{name.upper()}.*pass http_client") as caught:
        Firsthand("pk_test_1", base_url="https://photos.example")
    assert caught.value.code == "bad_proxy"
