/** Access tokens of clients that the identity service does not know, signed with its own key. */
import { join } from 'node:path';
import { importJWK, SignJWT } from 'jose';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import { loadPrivateKey } from '../../src/trial-parts/identity-service/identity-service.ts';
import type { Stack } from './starters/stack.ts';

/** All permissions except the operator's. */
export const CLIENT_PERMISSIONS = Object.values(PERMISSIONS).filter((one) => one !== PERMISSIONS.operate);

/** A token of a client with the given permissions; by default all except the operator's. */
export async function tokenOf(
  { config: { auth, dataDir } }: Pick<Stack, 'config'>,
  clientId: string,
  permissions: readonly string[] = CLIENT_PERMISSIONS,
  claims: Record<string, unknown> = {},
): Promise<string> {
  const jwk = await loadPrivateKey(join(dataDir, 'identity-service-key.json'));
  return new SignJWT({ client_id: clientId, permissions, ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: jwk.kid ?? '' })
    .setIssuer(auth.issuer)
    .setAudience(auth.audience)
    .setSubject(clientId)
    .setIssuedAt()
    .setExpirationTime('15m')
    .sign(await importJWK(jwk, 'RS256'));
}
