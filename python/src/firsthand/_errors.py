"""The errors that have no code of the service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class FirsthandError(Exception):
    """Every error of the client. `code` says which; branch on it or on the class."""

    code: str
    #: The `Request-Id` of the answer. The service's log has the details under it.
    request_id: str | None

    def __init__(self, message: str, *, code: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.request_id = request_id

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # Without it, `copy` and `pickle` call the class with the message only, and a pool of processes breaks.
        return _rebuilt, (type(self), self.args), self.__dict__


def _rebuilt(kind: type[FirsthandError], args: tuple[Any, ...]) -> FirsthandError:
    error = kind.__new__(kind)
    error.args = args
    return error


class FieldFault(NamedTuple):
    """One fault of a request: where (`steps.0.max`) and why. Branch on `code`; `params` holds what it needs to be told in words."""

    path: str
    message: str
    code: str = "invalid"
    params: Mapping[str, str | float | bool | list[str]] = {}


class ApiError(FirsthandError):
    """The service refused. `code` is `http_<status>` when something other than the service answered."""

    status: int
    #: The faults of an `invalid_request`; empty otherwise.
    fields: tuple[FieldFault, ...]
    #: What the code needs to be told in words, such as the kinds of credential that are accepted; empty for most codes.
    params: Mapping[str, str | float | bool | list[str]]
    #: The page of the service that explains the code.
    doc_url: str | None
    #: The seconds that `Retry-After` asks to wait.
    retry_after: float | None

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        fields: tuple[FieldFault, ...] = (),
        request_id: str | None = None,
        params: Mapping[str, str | float | bool | list[str]] | None = None,
        doc_url: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, code=code, request_id=request_id)
        self.status = status
        self.fields = fields
        self.params = params or {}
        self.doc_url = doc_url
        self.retry_after = retry_after


class ServiceConnectionError(FirsthandError, ConnectionError):
    """No complete answer arrived. The request may or may not have taken effect."""

    def __init__(self, url: str, reason: str = "") -> None:
        super().__init__(f"{url} does not answer ({reason or 'connection lost'})", code="connection_error")


class ServiceTimeoutError(FirsthandError, TimeoutError):
    """No answer arrived in time, or `wait_for_verdict` ended without a verdict."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="timeout")
