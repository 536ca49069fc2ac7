import { flag, text, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

export const auth = {
  title: 'Access tokens',
  variables: {
    issuer: optional(
      'AUTH_ISSUER',
      url('http:', 'https:'),
      'Issuer of the access tokens, exactly as in their claim `iss`. Not set: the embedded identity service.',
    ),
    jwksUrl: optional(
      'AUTH_JWKS_URL',
      url('http:', 'https:'),
      "URL of the issuer's public keys (JWKS). Not set: the URL in the issuer's metadata.",
    ),
    tokenUrl: optional(
      'AUTH_TOKEN_URL',
      url('http:', 'https:'),
      'Token endpoint of the identity service, such as https://identity.example/oauth2/token. The page /api/doc fetches tokens there, if the identity service allows its origin (CORS). Not set: the endpoint of the embedded identity service.',
    ),
    audience: variable(
      'AUTH_AUDIENCE',
      text.min(1),
      'submissions-tool',
      'Audience that access tokens must have.',
    ),
    acceptsPlain: variable(
      'AUTH_PLAIN_JWT',
      flag,
      'false',
      'true also accepts JWTs that do not say that they are access tokens, by the header type at+jwt, `token_use` or `typ`, unless they have a claim of an ID token: `nonce`, `at_hash` or `c_hash`. It is meant for an identity service that marks no tokens. It must not issue ID tokens with AUTH_AUDIENCE as their audience.',
    ),
    permissionsClaim: optional(
      'AUTH_PERMISSIONS_CLAIM',
      text.min(1),
      'Claim with the permissions: a list, or words separated by spaces. Dots separate nested names. Not set: `permissions`, else `scope`.',
    ),
    submittersClaim: optional(
      'AUTH_SUBMITTERS_CLAIM',
      text.min(1),
      'Claim with the submitter IDs (five digits) whose products a token may import: a list, or words separated by spaces. Dots separate nested names. Tokens of one client with other submitters see nothing of each other. Not set: every client may import every product, as when all clients belong to one company.',
    ),
    appClientId: variable(
      'AUTH_APP_CLIENT_ID',
      text.min(1),
      'package-import-app',
      'Client ID of the web page at the identity service: a public client with the authorization code flow and PKCE.',
    ),
    appScope: variable(
      'AUTH_APP_SCOPE',
      text.min(1),
      'openid',
      'Scopes that the web page requests at login, separated by spaces.',
    ),
  },
};
