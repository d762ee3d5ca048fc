"""A Flask application that takes Firsthand's webhooks: `flask --app flask_receiver run --port 3000`."""

import os

from flask import Flask, Response, request

from firsthand.webhooks import WebhookVerificationError, verify_webhook

app = Flask(__name__)
secret = os.environ["WEBHOOK_SECRET"]


@app.post("/hooks")
def hooks() -> Response:
    try:
        # The signature covers the raw body, not what `request.json` makes of it.
        event = verify_webhook(request.get_data(), request.headers, secret)
    except WebhookVerificationError:
        return Response(status=400)
    if event["type"] != "webhook.test":
        print(event["type"], event["data"]["id"], flush=True)
    return Response(status=204)
