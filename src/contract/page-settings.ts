/** Settings of the web page, which the gateway serves as `config.json`. They are public and hold no secrets. */
export interface PageSettings {
  /** Version of the service. */
  version: string;
  /** Issuer of access tokens, at which people log in. */
  issuer: string;
  /** The page's OAuth public client at the identity service. */
  client_id: string;
  /** Scopes requested at login, separated by blanks. */
  scope: string;
  /** Audience that access tokens must have. */
  audience: string;
  /** Claim with the permissions. Null for `permissions`, else `scope` (decision §access-tokens-only). */
  permissions_claim: string | null;
  /** Temporal's Web UI. Null if it is not known. */
  temporal: { ui_url: string; namespace: string } | null;
  max_upload_bytes: number;
  /** Only where `npm start` runs its own identity service and regulator. Null in a real installation. */
  trial: { token_url: string; mailbox_url: string | null } | null;
}
