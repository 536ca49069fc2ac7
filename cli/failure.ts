/** Turns any thrown value into output: the cause and the remedy. */
import { messageOf } from '../src/common/text.ts';
import type { ErrorCode } from '../src/contract/error-codes.ts';
import { ApiError, ForeignAnswer, type Service, Unreachable } from './client/errors.ts';
import { UnusableCredentials } from './client/options.ts';
import type { Connection } from './connection.ts';
import { EXIT, Hinted, Interrupted, UsageError } from './outcome.ts';
import { oneLine } from './screen.ts';

const SEVERAL_PACKAGES = 'Export the products in several packages, and upload one after the other.';

/** Errors of the package itself, which would be refused again. */
const PACKAGE_REFUSED: readonly ErrorCode[] = ['no_file', 'not_a_zip', 'file_too_large', 'invalid_package'];

/**
 * Statuses with which a token endpoint refuses a client (RFC 6749 §5.2). A wrong address answers with others, or with
 * 200.
 */
const CLIENT_REFUSED: readonly number[] = [400, 401, 403];

interface Failure {
  lines: string[];
  json: Readonly<Record<string, unknown>>;
  exitCode: number;
}

export function failureOf(thrown: unknown, connection: Connection): Failure {
  const hinted = thrown instanceof Hinted ? thrown : null;
  const error = hinted ? hinted.cause : thrown;
  const message = messageOf(error);
  const answer = error instanceof ApiError ? error : null;
  const texts = [message, ...adviceFor(error, connection), ...(hinted ? [hinted.message] : [])]
    .map(oneLine)
    .map(inCommands);
  const page = answer && pageAbout(answer, connection);
  return {
    lines: page === null ? texts : [...texts, `More about this error: ${page}`],
    json: {
      status: 'error',
      message,
      advice: texts.slice(1),
      ...(answer && { http_status: answer.status }),
      ...(answer?.data !== undefined && { data: answer.data }),
      ...hinted?.facts,
    },
    exitCode: exitCodeOf(error),
  };
}

const COMMANDS: Readonly<Record<string, string>> = {
  'GET /regulator/package-imports/{id}': 'status',
  'POST /regulator/session': 'session login',
  'POST /regulator/session/verification': 'session verify <code>',
  'PUT /regulator/webhook': 'webhook set <url>',
};

/** A message of the gateway names requests. People at the command line get the command for it. */
export function inCommands(message: string): string {
  return message.replace(
    /with ([A-Z]+ \/regulator\/[a-z/-]+?)(\/\d+)?\.$/,
    (named, request: string, id = '') => {
      const command = COMMANDS[id === '' ? request : `${request}/{id}`];
      return command === undefined ? named : `with: package-import ${command}${id.replace('/', ' ')}`;
    },
  );
}

/** URL of the page about the error's code. The gateway names a path if it does not know its public URL. */
function pageAbout({ service, data }: ApiError, { gateway }: Connection): string | null {
  const docUrl = (data as { doc_url?: unknown } | undefined)?.doc_url;
  if (service !== 'gateway' || typeof docUrl !== 'string' || !URL.canParse(docUrl, gateway)) return null;
  return oneLine(new URL(docUrl, gateway).href);
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
      'Store a connection and its secret with: package-import login. Or set PACKAGE_IMPORT_CLIENT_SECRET for one command.',
    ];
  if (!(error instanceof ApiError)) return [];
  const { service, status, code, data } = error;
  const { clientId, tokenUrl } = connection;
  if (service === 'identity service') {
    if (status >= 500 || status === 429) return [];
    if (!CLIENT_REFUSED.includes(status)) return [anotherAddress(service)];
    return [
      'Check --client-id or PACKAGE_IMPORT_CLIENT_ID, --client-secret or PACKAGE_IMPORT_CLIENT_SECRET, and --auth-method. Or log in again with: package-import login',
    ];
  }
  switch (code) {
    case 'missing_token':
    case 'invalid_token':
      return [
        `The token of client "${clientId}" came from ${tokenUrl}. If the gateway trusts another identity service, set --token-url or PACKAGE_IMPORT_TOKEN_URL. If it expects an audience, set --audience.`,
      ];
    case 'missing_permission':
      return [`Have the identity service grant this permission to client "${clientId}".`];
    case 'session_required':
      return sessionMessageIn(data);
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
    return ['For a private certificate authority, set NODE_EXTRA_CA_CERTS=<file.pem>.'];
  return [`${temporary ? 'Is the service running? ' : ''}${anotherAddress(service)}`];
}

function anotherAddress(service: Service): string {
  const option =
    service === 'gateway' ? '--gateway or PACKAGE_IMPORT_URL' : '--token-url or PACKAGE_IMPORT_TOKEN_URL';
  return `Set another address with ${option}.`;
}

/** Interface §7, HTTP 412. */
function sessionMessageIn(data: unknown): string[] {
  const message = (data as { regulator_session_message?: unknown } | undefined)?.regulator_session_message;
  return typeof message === 'string' ? [message] : [];
}
