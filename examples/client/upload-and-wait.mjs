// Imports a package and waits for its end: node upload-and-wait.mjs package.zip
import { createPackageImportClient } from 'package-import';

const { PACKAGE_IMPORT_URL, PACKAGE_IMPORT_TOKEN_URL, CLIENT_ID, CLIENT_SECRET } = process.env;
const client = createPackageImportClient({
  gatewayUrl: PACKAGE_IMPORT_URL,
  tokenUrl: PACKAGE_IMPORT_TOKEN_URL,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
});

const { id, queue } = await client.importPackage(process.argv[2], { comment: 'spring range' });
console.log(`Import ${id}: ${queue.queued_count} products queued.`);

const report = await client.follow(id, {
  onSummary: ({ progress }) => console.log(`${progress.regulator_inserted} inserted so far`),
});
console.log(`Import ${id} ${report.status}: ${report.progress.regulator_inserted} products inserted.`);
