import { text, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

/** Describes and checks the variables of Temporal's connection. Temporal's own reader gives the values (../temporal.ts). */
export const temporal = {
  title: 'Temporal',
  about:
    "The connection uses the standard variables of Temporal's SDKs and command line (https://docs.temporal.io/references/client-environment-configuration). Besides the first three below these are TEMPORAL_TLS (true or false), TEMPORAL_TLS_SERVER_NAME and TEMPORAL_GRPC_META_*, and with _PATH for a PEM file or _DATA for its contents TEMPORAL_TLS_CLIENT_CERT, TEMPORAL_TLS_CLIENT_KEY and TEMPORAL_TLS_SERVER_CA_CERT. TLS is on if a variable TEMPORAL_TLS_* or an API key is set, unless TEMPORAL_TLS is false. A configuration file is read only if TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE is set.",
  variables: {
    address: optional(
      'TEMPORAL_ADDRESS',
      text.regex(/^[^\s/]+:\d+$/, 'must be host:port'),
      'Temporal server, host:port. A server on another machine requires TLS. Not set: a local server is started.',
    ),
    namespace: variable('TEMPORAL_NAMESPACE', text, 'default', 'Namespace of the workflows.'),
    apiKey: optional('TEMPORAL_API_KEY', text, 'API key of Temporal Cloud.'),
    uiUrl: optional(
      'TEMPORAL_UI_URL',
      url('http:', 'https:'),
      'URL of the Temporal Web UI. Summary e-mails and the web page link to runs there. Not set: no such links.',
    ),
  },
};
