"""The client of Firsthand, an open service that tells whether photos are first-hand."""

from ._async.client import AsyncFirsthand as AsyncFirsthand
from ._async.transport import AsyncDownload as AsyncDownload
from ._async.transport import AsyncList as AsyncList
from ._core import ServerSentEvent as ServerSentEvent
from ._core import StreamedEvent as StreamedEvent
from ._errors import ApiError as ApiError
from ._errors import FieldFault as FieldFault
from ._errors import FirsthandError as FirsthandError
from ._errors import ServiceConnectionError as ServiceConnectionError
from ._errors import ServiceTimeoutError as ServiceTimeoutError
from ._sync.client import Firsthand as Firsthand
from ._sync.transport import Download as Download
from ._sync.transport import List as List
from .errors import *  # every code of the service has a class
from .webhooks import WebhookEvent as WebhookEvent
from .webhooks import WebhookVerificationError as WebhookVerificationError
