/** Logger and version of the gateway and the workers. The programs for trials have neither. */
import { type Logger, pino } from 'pino';
import manifest from '../../../package.json' with { type: 'json' };

/** The version of package.json, for the API description, `/health`, traces and the build IDs of workers. */
export const VERSION: string = manifest.version;

/**
 * Structured logs on standard output, readable for people if it is a terminal. The code logs no secrets. The redaction is
 * a second safeguard.
 */
export function createLogger(level: string, name: string): Logger {
  return pino({
    name,
    level,
    redact: {
      paths: [
        '*.authorization',
        '*.cookie',
        '*.token',
        '*.password',
        '*.client_secret',
        'headers.authorization',
        'headers.cookie',
      ],
      censor: '[redacted]',
    },
    ...(process.stdout.isTTY && {
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } },
    }),
  });
}
