import { type Logger, pino } from 'pino';

/**
 * Structured logs on standard output; for people when it is a terminal. What could hold a secret is
 * never in them, and is blanked if it is.
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
