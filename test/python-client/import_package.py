"""Imports a package with the client that openapi-python-client has made of the API's description, and follows it.

Arguments: base URL of the gateway, the package. The access token is in TOKEN. Ends with 0 when every product is inserted.
"""

import os
import sys
import time
from pathlib import Path

from package_import_service_client import AuthenticatedClient
from package_import_service_client.api.package_imports import get_package_import, post_package_import
from package_import_service_client.models import (
    Error,
    GetPackageImportView,
    ImportSummaryStatus,
    PostPackageImportBody,
)
from package_import_service_client.types import File

DEADLINE = time.monotonic() + 120

url, path = sys.argv[1], Path(sys.argv[2])
client = AuthenticatedClient(base_url=url, token=os.environ["TOKEN"], timeout=120)

with path.open("rb") as package:
    body = PostPackageImportBody(
        file=File(payload=package, file_name=path.name, mime_type="application/zip"), comment="from Python"
    )
    answer = post_package_import.sync(client=client, body=body)
if answer is None or isinstance(answer, Error):
    sys.exit(f"The upload failed: {answer}")
result = answer.data
print(f"Import {result.id}: {result.queue.queued_count} products queued.")

while True:
    answer = get_package_import.sync(result.id, client=client, view=GetPackageImportView.SUMMARY)
    if answer is None or isinstance(answer, Error):
        sys.exit(f"The import could not be read: {answer}")
    summary = answer.data
    if summary.completed_at is not None:
        break
    if time.monotonic() > DEADLINE:
        sys.exit(f"The import did not end: {summary.status}")
    time.sleep(1)

inserted = summary.progress.regulator_inserted
print(f"Import {result.id} {summary.status}: {inserted} products inserted.")
succeeded = summary.status == ImportSummaryStatus.COMPLETED and inserted == result.queue.queued_count > 0

missing = get_package_import.sync_detailed(2_000_000_000, client=client)
knows_errors = isinstance(missing.parsed, Error) and missing.parsed.data.code == "not_found"
sys.exit(0 if succeeded and knows_errors else 1)
