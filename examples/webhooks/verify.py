"""The body of the message is stdin. Exits with 0 if it is from the service, otherwise with 1."""

import base64
import hashlib
import hmac
import os
import re
import sys
import time


def is_genuine(headers: dict, body: bytes, secret: str) -> bool:
    """The body is exactly as received, before it is parsed."""
    names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
    message_id, timestamp, given = (headers.get(name) or "" for name in names)
    # A message that is recorded and sent again later is refused.
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # Two signatures while the secret is rotated.
    return given.isascii() and any(
        hmac.compare_digest(one, f"v1,{expected}") for one in given.split(" ")
    )


sent = {name.lower().replace("_", "-"): value for name, value in os.environ.items()}
sys.exit(0 if is_genuine(sent, sys.stdin.buffer.read(), os.environ["WEBHOOK_SECRET"]) else 1)
