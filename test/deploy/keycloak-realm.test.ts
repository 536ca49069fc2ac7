/** The realm of deploy/keycloak has for the web page what the embedded identity service has. */
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { PEOPLE } from '../../src/trial-parts/identity-service/people.ts';
import { readText } from './support.ts';

interface Realm {
  clients: {
    clientId: string;
    publicClient: boolean;
    redirectUris?: string[];
    attributes?: Record<string, string>;
  }[];
  users: { username: string; clientRoles: Record<string, string[]> }[];
}

const realm = JSON.parse(await readText('deploy/keycloak/realm.json')) as Realm;
const { auth } = loadConfig({});

it('the client of the page is public, with PKCE by S256 and its own address only', () => {
  const client = realm.clients.find(({ clientId }) => clientId === auth.app.clientId);
  expect(client?.publicClient).toBe(true);
  expect(client?.attributes?.['pkce.code.challenge.method']).toBe('S256');
  expect(client?.redirectUris?.length).toBeGreaterThan(0);
  expect(client?.redirectUris?.filter((address) => !address.endsWith('/app/callback'))).toEqual([]);
});

it.each(PEOPLE)('$username has the same permissions', ({ username, permissions }) => {
  const user = realm.users.find((one) => one.username === username);
  expect(user?.clientRoles[auth.audience]?.toSorted()).toEqual([...permissions].sort());
});
