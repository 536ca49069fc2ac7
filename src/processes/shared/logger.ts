import { type Logger, pino } from 'pino';

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
