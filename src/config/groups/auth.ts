import { text, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

export const auth = {
  title: 'Access tokens',
  variables: {
    issuer: optional(
      'AUTH_ISSUER',
      url('http:', 'https:'),
      'Issuer of the access tokens, exactly as their claim `iss` has it. Not set: the embedded identity service.',
    ),
    jwksUrl: optional(
      'AUTH_JWKS_URL',
      url('http:', 'https:'),
      "Address of its public keys. Not set: the one in the issuer's metadata.",
    ),
    tokenUrl: optional(
      'AUTH_TOKEN_URL',
      url('http:', 'https:'),
      'Address at which clients get their tokens, such as https://identity.example/oauth2/token: the page /api/doc can then fetch one, if the identity service answers its origin (CORS). Not set: that of the embedded identity service.',
    ),
    audience: variable(
      'AUTH_AUDIENCE',
      text.min(1),
      'submissions-tool',
      'Audience that access tokens must have.',
    ),
    permissionsClaim: optional(
      'AUTH_PERMISSIONS_CLAIM',
      text.min(1),
      'Claim with the permissions, dots for nesting; a list, or words. Not set: `permissions`, else `scope`.',
    ),
    submittersClaim: optional(
      'AUTH_SUBMITTERS_CLAIM',
      text.min(1),
      'Claim with the submitter IDs (five digits) whose products a client may import and see, dots for nesting; a list, or words. Not set: all clients belong to one company, and each may import every product.',
    ),
    appClientId: variable(
      'AUTH_APP_CLIENT_ID',
      text.min(1),
      'package-import-app',
      'Public client (authorization code with PKCE) as which the web page logs people in.',
    ),
    appScope: variable(
      'AUTH_APP_SCOPE',
      text.min(1),
      'openid',
      'Scopes that the web page asks for at login, with blanks between.',
    ),
  },
};
