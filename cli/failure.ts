/** Turns any thrown value into output: the cause and the remedy. */

import type { ErrorCode } from '../src/contract/error-codes.ts';
import { messageOf } from '../src/domain/errors.ts';
import { UnusableCredentials } from './client/client-credentials.ts';
import { ApiError, ForeignAnswer, type Service, Unreachable } from './client/errors.ts';
import type { Connection } from './connection.ts';
import { EXIT, Hinted, Interrupted, UsageError } from './outcome.ts';
import { oneLine } from './screen.ts';

const SEVERAL_PACKAGES = 'Export the products in several packages, and upload one after the other.';

/** Errors of the package itself, which would be refused again. */
const PACKAGE_REFUSED: readonly ErrorCode[] = [
  'no_file',
  'not_a_zip',
  'file_too_large',
  'invalid_package',
  'import_failed',
];

export interface Failure {
  lines: string[];
  json: Readonly<Record<string, unknown>>;
  exitCode: number;
}

export function failureOf(thrown: unknown, connection: Connection): Failure {
  const hinted = thrown instanceof Hinted ? thrown : null;
  const error = hinted ? hinted.cause : thrown;
  const message = messageOf(error);
  const answer = error instanceof ApiError ? error : null;
  const lines = [message, ...adviceFor(error, connection), ...(hinted ? [hinted.hint] : [])].map(oneLine);
  return {
    lines,
    json: {
      status: 'error',
      message,
      advice: lines.slice(1),
      ...(answer && { http_status: answer.status }),
      ...(answer?.data !== undefined && { data: answer.data }),
      ...hinted?.facts,
    },
    exitCode: exitCodeOf(error),
  };
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  if (error instanceof UsageError || error instanceof UnusableCredentials) return EXIT.usage;
  if (!(error instanceof ApiError)) return EXIT.failed;
  if (error.code === 'import_cancelled') return EXIT.productsFailed;
  // A proxy in front of the gateway may have limits too.
  const refused = error.code ? PACKAGE_REFUSED.includes(error.code) : error.status === 413;
  return refused ? EXIT.packageRefused : EXIT.failed;
}

function adviceFor(error: unknown, connection: Connection): string[] {
  if (error instanceof Unreachable) return unreachable(error);
  if (error instanceof UnusableCredentials)
    return [
      'To keep a connection with its secret: package-import login. For once: PACKAGE_IMPORT_CLIENT_SECRET.',
    ];
  if (!(error instanceof ApiError)) return [];
  const { service, status, code, data } = error;
  const { clientId, tokenUrl } = connection;
  if (service === 'identity service') {
    if (status >= 500 || status === 429) return [];
    return [
      'Check --client-id or PACKAGE_IMPORT_CLIENT_ID, --client-secret or PACKAGE_IMPORT_CLIENT_SECRET, and --auth-method; or log in again: package-import login',
    ];
  }
  switch (code) {
    case 'missing_token':
    case 'invalid_token':
      return [
        `The token of client "${clientId}" came from ${tokenUrl}. If the gateway trusts another identity service: --token-url or PACKAGE_IMPORT_TOKEN_URL.`,
      ];
    case 'missing_permission':
      return [`The identity service grants permissions: ask for this one for client "${clientId}".`];
    case 'session_required':
      return [
        ...sessionMessageIn(data),
        'To log in: package-import session login. With the code that the regulator mails: package-import session verify <code>.',
      ];
    case 'file_too_large':
      return [SEVERAL_PACKAGES];
    case null:
      if (status === 413) return [SEVERAL_PACKAGES];
      return error instanceof ForeignAnswer && status < 500 ? [anotherAddress(service)] : [];
    default:
      return [];
  }
}

function unreachable({ service, temporary, message }: Unreachable): string[] {
  if (/certificate|self-signed/i.test(message))
    return ['A private certificate authority is made known by NODE_EXTRA_CA_CERTS=<file.pem>.'];
  return [`${temporary ? 'Is the service running? ' : ''}${anotherAddress(service)}`];
}

function anotherAddress(service: Service): string {
  const option =
    service === 'gateway' ? '--gateway or PACKAGE_IMPORT_URL' : '--token-url or PACKAGE_IMPORT_TOKEN_URL';
  return `Another address: ${option}.`;
}

/** Interface §7, HTTP 412. */
function sessionMessageIn(data: unknown): string[] {
  const message = (data as { regulator_session_message?: unknown } | undefined)?.regulator_session_message;
  return typeof message === 'string' ? [message] : [];
}
