/** The dossier of a product, and the key that signs it. */
import { z } from 'zod';
import { DOSSIER_PAGE, MANIFEST, MANIFEST_SIGNATURE } from '../dossier.ts';
import { DOSSIER_FILES } from '../limits.ts';
import { pageQuery, productIdText } from './common.ts';
import { describe } from './operation.ts';

const tag = 'Submissions';

export const getDossier = describe('getDossier', {
  tag,
  summary: 'Download the dossier of a product',
  description:
    'A ZIP of all its submissions that the caller may see: product files as uploaded, the content that was sent, attachments, ' +
    `steps, answers of the regulator, and events with their actors. ${DOSSIER_PAGE} shows them. ${MANIFEST} has the SHA-256 of every file, and ` +
    `${MANIFEST_SIGNATURE} is its Ed25519 signature if the service has a key. The manifest names files that retention has removed. A dossier ` +
    `has up to ${DOSSIER_FILES} files. Older submissions are then in another one, which the page names.`,
  params: z.object({ product_id: productIdText }),
  query: z.object({
    before: pageQuery.shape.before.meta({ description: 'Only submissions older than this one' }),
  }),
  answers: { 200: { contentType: 'application/zip', description: 'The dossier' } },
  errors: { 404: 'The product has no such submissions, or only those of other clients' },
});

export const getDossierKey = describe('getDossierKey', {
  tag,
  summary: 'Get the public key that signs dossiers',
  description: 'It needs no token. Keep it: after a change of the key it still checks earlier dossiers.',
  answers: { 200: { contentType: 'application/x-pem-file', description: 'The key as PEM (RFC 7468)' } },
  errors: { 404: 'The service has no signing key' },
});
