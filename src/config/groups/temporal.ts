import { text, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

/** Describes and checks the variables of Temporal's connection. Temporal's own reader gives the values (../temporal.ts). */
export const temporal = {
  title: 'Temporal',
  about:
    "The connection has the standard variables of Temporal's clients, as its SDKs and its command line read them (https://docs.temporal.io/references/client-environment-configuration): besides the first three, TEMPORAL_TLS (true or false) and, each with _PATH for a file (PEM) or _DATA for its contents, TEMPORAL_TLS_CLIENT_CERT, TEMPORAL_TLS_CLIENT_KEY and TEMPORAL_TLS_SERVER_CA_CERT, then TEMPORAL_TLS_SERVER_NAME and TEMPORAL_GRPC_META_*. TLS is on where one of these or an API key is set. A configuration file is read only where TEMPORAL_PROFILE or TEMPORAL_CONFIG_FILE is set.",
  variables: {
    address: optional(
      'TEMPORAL_ADDRESS',
      text.regex(/^[^\s/]+:\d+$/, 'must be host:port'),
      'Server as host:port; on another machine it must be reached with TLS. Not set: a local one is started.',
    ),
    namespace: variable('TEMPORAL_NAMESPACE', text, 'default', 'Namespace of the workflows.'),
    apiKey: optional('TEMPORAL_API_KEY', text, 'API key of Temporal Cloud.'),
    uiUrl: optional(
      'TEMPORAL_UI_URL',
      url('http:', 'https:'),
      'Address at which people reach the Web UI: summary e-mails and the web page link to runs. Not set: no such links.',
    ),
  },
};
