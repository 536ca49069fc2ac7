/** Fixed names of files in a dossier. */

export const DOSSIER_PAGE = 'index.html';
/** Digests of all other files, in the format of `sha256sum`. */
export const MANIFEST = 'manifest.sha256';
/** Ed25519 signature of the bytes of the manifest: 64 bytes. */
export const MANIFEST_SIGNATURE = 'manifest.sig';
