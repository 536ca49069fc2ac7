// Lists the failures of the latest imports with their reasons: node list-failures.mjs
import { ApiError, createPackageImportClient } from 'package-import';

const { PACKAGE_IMPORT_URL, PACKAGE_IMPORT_TOKEN_URL, CLIENT_ID, CLIENT_SECRET } = process.env;
const client = createPackageImportClient({
  gatewayUrl: PACKAGE_IMPORT_URL,
  tokenUrl: PACKAGE_IMPORT_TOKEN_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
});

try {
  const { imports } = await client.imports({ limit: 20 });
  for (const { id } of imports) {
    const { submissions, zip_import } = await client.follow(id);
    for (const { product_id, status, failure_reason } of submissions)
      if (status === 'regulator_insert_failed')
        console.log(`Import ${id}, product ${product_id}: ${failure_reason}`);
    for (const { xml_file, error } of zip_import.failed)
      console.log(`Import ${id}, file ${xml_file}: ${error}`);
  }
} catch (error) {
  // Programs tell errors apart by their code, people by their message.
  if (!(error instanceof ApiError)) throw error;
  console.error(`${error.code ?? error.status}: ${error.message}`);
  process.exitCode = 1;
}
