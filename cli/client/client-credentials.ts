/** Credentials of a client. A file of its own, because the types of the packed library may need no package. */

/** Method names of the OAuth registry (RFC 7591 §2). */
export const AUTH_METHODS = ['client_secret_post', 'client_secret_basic', 'private_key_jwt'] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

export interface ClientCredentials {
  clientId: string;
  /** The default is `private_key_jwt` if there is a key and no secret, else `client_secret_post`. */
  authMethod?: AuthMethod | undefined;
  clientSecret?: string | undefined;
  /** For `private_key_jwt`: the text of a PEM file (PKCS #8, not encrypted) or of a JSON Web Key. */
  privateKey?: string | undefined;
}

/** The credentials do not fit the method, or the key cannot be used. Nothing was sent. */
export class UnusableCredentials extends Error {}
