/** What the web page is told of the service that serves it. No secrets: everybody may read it. */

export interface PageSettings {
  /** Of access tokens, where people log in. */
  issuer: string;
  /** The public client of the page at the identity service. */
  clientId: string;
  /** Asked for at login, separated by blanks. */
  scope: string;
  /** What access tokens have to be for. */
  audience: string;
  /** Claim with the permissions; null for `permissions`, else `scope`, as everywhere (decision §access-tokens-only). */
  permissionsClaim: string | null;
  /** Where runs can be looked at; null where that is not known. */
  temporal: { uiUrl: string; namespace: string } | null;
  maxUploadBytes: number;
}

/** As `config.json` has it. */
export function presentSettings(settings: PageSettings, version: string) {
  const { issuer, clientId, scope, audience, permissionsClaim, temporal, maxUploadBytes } = settings;
  return {
    ...{ version, issuer, client_id: clientId, scope, audience },
    permissions_claim: permissionsClaim,
    temporal: temporal && { ui_url: temporal.uiUrl, namespace: temporal.namespace },
    max_upload_bytes: maxUploadBytes,
  };
}
