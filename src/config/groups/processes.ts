import { z } from 'zod';
import { flag, port, productChecks, roles } from '../kinds.ts';
import { variable } from '../variable.ts';

export const processes = {
  title: 'Processes',
  variables: {
    workerRoles: variable(
      'WORKER_ROLES',
      roles,
      'all',
      'Roles of a worker process: package-import, package-reading and regulator-insert, separated by commas, or all.',
    ),
    healthPort: variable(
      'HEALTH_PORT',
      port,
      '0',
      'Port on which a gateway or a worker serves /health/live, /health/ready and /metrics, on the address HOST. With `npm start` the gateway has this port and the worker the next one. The container image sets 8081. 0: none.',
    ),
    refusedChecks: variable(
      'REFUSED_PRODUCT_CHECKS',
      productChecks,
      '',
      'Product checks that refuse a file instead of adding a warning, separated by commas, or all: docs/product-checks.md.',
    ),
    logLevel: variable(
      'LOG_LEVEL',
      z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
      'info',
      'Log level: fatal, error, warn, info, debug, trace or silent. Traces use the standard variables of OpenTelemetry: docs/observability.md.',
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
      'true allows connections to other machines without TLS, or with TLS that does not verify the server: DATABASE_URL, TEMPORAL_ADDRESS, the endpoint of a bucket, AUTH_ISSUER, AUTH_JWKS_URL, AUTH_TOKEN_URL, REGULATOR_URL and credentials in SMTP_URL. It is meant for trusted networks, such as that of Docker Compose, which sets it. If it is false, no process starts with such an address.',
    ),
    allowDemoParts: variable(
      'ALLOW_DEMO_PARTS',
      flag,
      'false',
      'true allows embedded parts and published secrets although HOST or PUBLIC_URL is open to other machines. It is meant for trials.',
    ),
  },
};
