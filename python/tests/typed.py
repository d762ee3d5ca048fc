"""What a stranger writes. mypy --strict has to accept it, and to refuse what is marked."""

from __future__ import annotations

from firsthand import ApiError, AsyncFirsthand, Firsthand, NotFoundError, WebhookEvent
from firsthand.types import StepInput, Verification

firsthand = Firsthand("pk_test_1", base_url="https://photos.example")
steps: list[StepInput] = [{"key": "front", "min": 1, "max": 2}, {"type": "text", "key": "policy"}]


def claim() -> str:
    created: Verification = firsthand.verifications.create(steps=steps, metadata={"claim": "C 1"})
    for item in firsthand.verifications.list(status=["completed"]):
        print(item["id"], item["status"])
    try:
        done = firsthand.verifications.wait_for_verdict(created["id"], wait=1)
    except NotFoundError as error:
        print(error.code, error.request_id, [fault.path for fault in error.fields])
        raise
    except ApiError:
        raise
    return done["verdict"]["label"] if "verdict" in done else done["status"]


async def claim_with_asyncio(client: AsyncFirsthand) -> str:
    created = await client.verifications.create(
        steps=[{"key": "front", "min": 1, "max": 2}, {"type": "text", "key": "policy"}]
    )
    async for item in client.verifications.list(limit=5):
        print(item["id"])
    async with await client.evidence.download(created["id"]) as bundle:
        await bundle.save("case.zip")
    return created["capture_url"]


def handle(event: WebhookEvent) -> str:
    if event["type"] == "webhook.test":
        return event["data"]["message"]
    return event["data"]["id"]


firsthand.verifications.create(stepz=[])  # refused
firsthand.verifications.list(status=["done"])  # refused
firsthand.verifications.get(1)  # refused
print(claim()["label"])  # refused
