"""The body of the message is stdin. Exits with 0 if it is from the service, otherwise with 1."""

import base64
import hashlib
import hmac
import os
import sys
import time


def is_genuine(headers: dict, body: bytes, secret: str) -> bool:
    """The body is exactly as received, before it is parsed."""
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    # A message that is recorded and sent again later is refused.
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # Two signatures while the secret is rotated.
    return any(
        hmac.compare_digest(one, f"v1,{expected}")
        for one in headers["webhook-signature"].split(" ")
    )


names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
given = {name: os.environ[name.upper().replace("-", "_")] for name in names}
sys.exit(0 if is_genuine(given, sys.stdin.buffer.read(), os.environ["WEBHOOK_SECRET"]) else 1)
