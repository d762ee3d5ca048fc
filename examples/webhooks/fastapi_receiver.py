"""A FastAPI application that takes Firsthand's webhooks: `uvicorn fastapi_receiver:app --port 3000`."""

import os

from fastapi import FastAPI, Request, Response

from firsthand.webhooks import WebhookVerificationError, verify_webhook

app = FastAPI()
secret = os.environ["WEBHOOK_SECRET"]


@app.post("/hooks")
async def hooks(request: Request) -> Response:
    try:
        # The signature covers the raw body, so no model parses it before.
        event = verify_webhook(await request.body(), request.headers, secret)
    except WebhookVerificationError:
        return Response(status_code=400)
    if event["type"] != "webhook.test":
        print(event["type"], event["data"]["id"], flush=True)
    return Response(status_code=204)
