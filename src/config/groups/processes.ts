import { z } from 'zod';
import { flag, port, productChecks, roles, seconds } from '../kinds.ts';
import { variable } from '../variable.ts';

export const processes = {
  title: 'Processes',
  variables: {
    workerRoles: variable(
      'WORKER_ROLES',
      roles,
      'all',
      'Roles of a worker process: package-import, package-reading, regulator-insert, several with commas between, or all.',
    ),
    workerHealthPort: variable(
      'WORKER_HEALTH_PORT',
      port,
      '0',
      'Port on which a worker process serves /health/live, /health/ready and /metrics, at HOST; 0 for none.',
    ),
    refusedChecks: variable(
      'REFUSED_PRODUCT_CHECKS',
      productChecks,
      '',
      'Checks of products that refuse a file instead of warning, with commas between, or all: docs/product-checks.md.',
    ),
    shutdownGraceMs: variable(
      'SHUTDOWN_GRACE_SECONDS',
      seconds,
      '30',
      'Seconds that a stop waits for uploads and activities under way. An orchestrator must wait 15 longer.',
    ),
    logLevel: variable(
      'LOG_LEVEL',
      z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
      'info',
      'fatal, error, warn, info, debug, trace or silent. Traces have the standard variables of OpenTelemetry: docs/observability.md.',
    ),
  },
};

export const safety = {
  title: 'Safety',
  variables: {
    allowInsecure: variable(
      'ALLOW_INSECURE',
      flag,
      'false',
      'true allows connections to other machines without TLS, or with TLS that does not verify the server: DATABASE_URL, TEMPORAL_ADDRESS, the endpoint of a bucket, AUTH_ISSUER, AUTH_JWKS_URL, AUTH_TOKEN_URL, REGULATOR_URL and credentials in SMTP_URL. For networks that are trusted, such as that of Docker Compose, which sets it. Without it no process starts with such an address.',
    ),
    allowDemoParts: variable(
      'ALLOW_DEMO_PARTS',
      flag,
      'false',
      'true allows embedded parts, and secrets that this documentation shows, where HOST is open to other machines: to try things out.',
    ),
  },
};
