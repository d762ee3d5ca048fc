"""A Django project in one file that takes Firsthand's webhooks: `python django_receiver.py runserver 3000`.

In a project of yours, take `hooks` and its line of `urlpatterns`.
"""

import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from firsthand.webhooks import WebhookVerificationError, verify_webhook

settings.configure(
    ROOT_URLCONF=__name__, SECRET_KEY=os.urandom(32).hex(), ALLOWED_HOSTS=["localhost", "127.0.0.1"]
)
secret = os.environ["WEBHOOK_SECRET"]


# The signature takes the place of a CSRF token.
@csrf_exempt
@require_POST
def hooks(request: HttpRequest) -> HttpResponse:
    try:
        event = verify_webhook(request.body, request.headers, secret)
    except WebhookVerificationError:
        return HttpResponse(status=400)
    if event["type"] != "webhook.test":
        print(event["type"], event["data"]["id"], flush=True)
    return HttpResponse(status=204)


urlpatterns = [path("hooks", hooks)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
