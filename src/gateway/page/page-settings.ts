/** Settings of the web page, served as `config.json`. They are public and hold no secrets. */

export interface PageSettings {
  /** Issuer of access tokens, at which people log in. */
  issuer: string;
  /** The page's OAuth public client at the identity service. */
  clientId: string;
  /** Scopes requested at login, separated by blanks. */
  scope: string;
  /** Audience that access tokens must have. */
  audience: string;
  /** Claim with the permissions. Null for `permissions`, else `scope` (decision §access-tokens-only). */
  permissionsClaim: string | null;
  /** Temporal's Web UI. Null if it is not known. */
  temporal: { uiUrl: string; namespace: string } | null;
  maxUploadBytes: number;
  /** Only where `npm start` runs its own identity service and regulator. Null in a real installation. */
  trial: { tokenUrl: string; mailboxUrl: string | null; samplePackage: string } | null;
}

/** The content of `config.json`. */
export function presentSettings(settings: PageSettings, version: string) {
  const { issuer, clientId, scope, audience, permissionsClaim, temporal, maxUploadBytes, trial } = settings;
  return {
    version,
    issuer,
    client_id: clientId,
    scope,
    audience,
    permissions_claim: permissionsClaim,
    temporal: temporal && { ui_url: temporal.uiUrl, namespace: temporal.namespace },
    max_upload_bytes: maxUploadBytes,
    trial: trial && { token_url: trial.tokenUrl, mailbox_url: trial.mailboxUrl },
  };
}
