// Retries the failed products of an import, and waits for its end: node retry-failed.mjs 7
import { createPackageImportClient } from 'package-import';

const { PACKAGE_IMPORT_URL, PACKAGE_IMPORT_TOKEN_URL, CLIENT_ID, CLIENT_SECRET } = process.env;
const client = createPackageImportClient({
  gatewayUrl: PACKAGE_IMPORT_URL,
  tokenUrl: PACKAGE_IMPORT_TOKEN_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
});

const id = Number(process.argv[2]);
const { submissions } = await client.report(id);
for (const submission of submissions) {
  if (!submission.actions.includes('regulator-insert')) continue;
  const { queued, message } = await client.retry(submission.id);
  console.log(`${submission.product_id}: ${queued ? 'queued' : message}`);
}

const { progress } = await client.follow(id);
console.log(`${progress.regulator_inserted} inserted, ${progress.regulator_insert_failed} failed.`);
