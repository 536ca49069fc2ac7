"""What Schemathesis cannot find out from the description: packages that can be read, and why a 500 may be one."""

import os
from pathlib import Path

import schemathesis

WEBHOOK_URL_LENGTH = int(os.environ["WEBHOOK_URL_LENGTH"])
PACKAGE = Path(os.environ["EXAMPLE_PACKAGE"]).read_bytes()


@schemathesis.hook
def filter_body(context, body):
    """An empty list makes no part of a multipart body: what is wrong with it would be lost on the way."""
    return not (isinstance(body, dict) and "file" in body and [] in body.values())


@schemathesis.hook
def map_body(context, body):
    """
    Parts beyond those described are ignored, but they need names, and such as a header can carry: the client does not
    escape a backslash. And random bytes are no package: every second upload gets a real one.
    """
    if not isinstance(body, dict) or "file" not in body:
        return body
    parts = {name: value for name, value in body.items() if name and name.isprintable() and "\\" not in name}
    # The service of these tests sends no webhooks, and addresses are described in words.
    if len(str(parts.get("webhook_url", ""))) <= WEBHOOK_URL_LENGTH:
        parts.pop("webhook_url", None)
    if isinstance(parts.get("email"), str):
        parts["email"] = "person@company.example"
    return {**parts, "file": PACKAGE} if len(parts) % 2 == 0 else parts


@schemathesis.hook
def filter_query(context, query):
    """The description can say in words alone that only dry runs show a difference, and that `mends` needs a failed file."""
    if not query:
        return True
    return "mends" not in query and not (query.get("diff") == "true" and query.get("dry_run") != "true")


@schemathesis.check
def only_unreadable_packages_are_server_errors(ctx, response, case):
    """Interface, section 7: the reason is given, and it is the archive."""
    if response.status_code == 500:
        message = response.json()["message"]
        assert message.startswith("Invalid submission ZIP: "), message
