/** Reads the connection to Temporal from the environment, with Temporal's own reader. */
import { accessSync, constants } from 'node:fs';
import { type ClientConfigProfile, loadClientConfigProfile } from '@temporalio/envconfig';
import { messageOf } from '../common/text.ts';
import { InvalidConfiguration } from './variables.ts';

const SWITCH = 'TEMPORAL_TLS';
const SWITCH_VALUES = ['true', 'false', '1', '0'];
const PROFILE = 'TEMPORAL_PROFILE';
const FILE = 'TEMPORAL_CONFIG_FILE';
const CERTIFICATE = 'TEMPORAL_TLS_CLIENT_CERT_PATH';
const KEY = 'TEMPORAL_TLS_CLIENT_KEY_PATH';
const AUTHORITY = 'TEMPORAL_TLS_SERVER_CA_CERT_PATH';

/**
 * Reads the profile, but not the certificate files that it names.
 *
 * @throws InvalidConfiguration that names the variable at fault
 */
export function readTemporalProfile(set: Readonly<Record<string, string>>): ClientConfigProfile {
  // Temporal's reader treats any other value as "off".
  if (set[SWITCH] !== undefined && !SWITCH_VALUES.includes(set[SWITCH]))
    throw new InvalidConfiguration([`${SWITCH}: must be true or false`]);
  const profile = loadProfile(set);
  if ((profile.tls?.clientCert === undefined) !== (profile.tls?.clientKey === undefined))
    throw new InvalidConfiguration([
      `${CERTIFICATE}, ${KEY}: a client certificate needs both files: set both or none`,
    ]);
  return profile;
}

function loadProfile(set: Readonly<Record<string, string>>): ClientConfigProfile {
  try {
    return loadClientConfigProfile({
      overrideEnvVars: { ...set },
      // Otherwise a configuration file in the user's home directory would replace the local server of `npm start`.
      disableFile: set[PROFILE] === undefined && set[FILE] === undefined,
    });
  } catch (error) {
    throw new InvalidConfiguration([`${PROFILE}, ${FILE}, TEMPORAL_TLS_*: ${messageOf(error)}`]);
  }
}

/**
 * One line per file of TLS that this process cannot read. It begins with the variable that names the file, unless the
 * file of TEMPORAL_CONFIG_FILE names it. A connection without TLS reads no file.
 */
export function unreadableFiles(profile: ClientConfigProfile): string[] {
  if (!usesTls(profile)) return [];
  const { tls = {} } = profile;
  const files = { [CERTIFICATE]: tls.clientCert, [KEY]: tls.clientKey, [AUTHORITY]: tls.serverCACert };
  return Object.entries(files).flatMap(([name, file]) => {
    if (file === undefined || !('path' in file)) return [];
    try {
      accessSync(file.path, constants.R_OK);
      return [];
    } catch (error) {
      return [`${name}: the file cannot be read (${messageOf(error)})`];
    }
  });
}

/** Whether the connection uses TLS, which verifies the server. Follows the rule of Temporal's package. */
export function usesTls({ tls, apiKey }: ClientConfigProfile): boolean {
  return tls === undefined ? apiKey !== undefined : tls.disabled !== true;
}
