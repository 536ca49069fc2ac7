import { auditDays, databaseUrl, days, integer, limit, secrets, text, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

export const data = {
  title: 'Data',
  variables: {
    directory: variable(
      'DATA_DIR',
      text,
      '.data',
      'Data directory of the embedded parts of `npm start`. It survives a restart. Downloads and builds are in another directory, package-import in XDG_CACHE_HOME (~/.cache).',
    ),
    databaseUrl: optional(
      'DATABASE_URL',
      databaseUrl,
      'PostgreSQL server, postgresql://user:password@host:port/database?sslmode=verify-full. Not set: the embedded server. sslmode: verify-full (verifies certificate and host name), verify-ca (verifies the certificate), require (verifies nothing) or disable (no TLS, the default). sslrootcert: PEM file with the certificate authority; if it is not set, or system, the authorities that Node.js trusts. sslcert and sslkey: PEM files of a client certificate. A server on another machine requires verify-full or verify-ca.',
    ),
    poolSize: variable(
      'DATABASE_POOL_SIZE',
      integer,
      '10',
      'Maximum number of database connections of one process. A gateway needs 3. A worker needs 2, one more for each of the roles package-import and regulator-insert, and two more for package-reading. A process does not start with fewer.',
    ),
    storageUrl: optional(
      'STORAGE_URL',
      url('file:', 's3:'),
      "Archive of the uploaded ZIPs: file:///directory or s3://bucket/prefix. Not set: archive/ in DATA_DIR. Gateways and workers must use the same archive. Region, credentials and endpoint of a bucket come from Amazon's standard variables, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL_S3, or from a role. An endpoint on another machine must be https.",
    ),
    retentionDays: variable(
      'ARCHIVE_RETENTION_DAYS',
      days,
      '90',
      'Retention of ZIPs and raw XML, in days from the upload. The ZIP of a failed import is deleted after at most 7 days. Notes of files that were refused, skipped or unreadable go as well, after at least 91 days. Other records stay.',
    ),
    auditRetentionDays: optional(
      'AUDIT_RETENTION_DAYS',
      auditDays,
      'Days after which people are forgotten, at least 30: the audit trail and cancelled imports then name person:forgotten, and the recipients of summaries are removed. Actions, times and clients stay. Not set: never.',
    ),
    minFreeMegabytes: variable(
      'STORAGE_MIN_FREE_MB',
      limit,
      '1024',
      'Minimum free space in the directory of the archive, in MB, beside what the uploads under way may need. Each reserves twice its Content-Length, for its ZIP and its attachments; without that header, twice MAX_UPLOAD_MB. Below the minimum, uploads get 503. 0: no check. It has no effect with a bucket.',
    ),
    encryptionSecrets: optional(
      'ENCRYPTION_SECRET',
      secrets,
      'Secret that encrypts the regulator session and the secrets of webhooks in the database: at least 16 characters without a comma, the same for gateways and workers. During a rotation several, newest first, separated by commas: deploy/runbook.md. Not set: one is generated in DATA_DIR, which works on one machine only. To generate one: openssl rand -base64 32',
    ),
  },
};
