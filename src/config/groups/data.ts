import { databaseUrl, days, integer, limit, text, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

export const data = {
  title: 'Data',
  variables: {
    directory: variable(
      'DATA_DIR',
      text,
      '.data',
      'Directory of everything that the embedded parts of `npm start` keep. It survives a restart. Downloads and builds are kept apart from it, in package-import of the standard directory XDG_CACHE_HOME (~/.cache).',
    ),
    databaseUrl: optional(
      'DATABASE_URL',
      databaseUrl,
      'PostgreSQL, postgresql://user:password@host:port/database?sslmode=verify-full. Not set: the embedded one. sslmode: verify-full (certificate and host name are verified), verify-ca (the certificate), require (nothing is verified) or disable, which is the default. sslrootcert: file (PEM) of the authority; not set, or system: those that Node.js trusts. sslcert and sslkey: files (PEM) of a client certificate. A server on another machine must be verified.',
    ),
    poolSize: variable(
      'DATABASE_POOL_SIZE',
      integer,
      '10',
      'Most connections of one process to the database. A gateway needs 3. A worker needs 2, one more for each of the roles package-import and regulator-insert, and two more for package-reading. A process does not start with fewer.',
    ),
    storageUrl: optional(
      'STORAGE_URL',
      url('file:', 's3:'),
      "Archive of the uploaded ZIPs: file:///directory or s3://bucket/prefix. Not set: archive/ in DATA_DIR. Gateways and workers must see the same place. Region, credentials and endpoint of a bucket are those of Amazon's standard variables, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL_S3, or of a role. An endpoint on another machine must be https.",
    ),
    retentionDays: variable(
      'ARCHIVE_RETENTION_DAYS',
      days,
      '90',
      'Days after its upload after which a ZIP and its raw XML are deleted; the ZIP of an import that failed after 7 days at the latest. The records stay.',
    ),
    minFreeMegabytes: variable(
      'STORAGE_MIN_FREE_MB',
      limit,
      '1024',
      'MB of free space in the directory of the archive below which uploads get 503. 0: none. It has no effect with a bucket.',
    ),
    encryptionSecret: optional(
      'ENCRYPTION_SECRET',
      text.min(16, 'must have at least 16 characters'),
      'Secret that encrypts the regulator session and the secrets of webhooks in the database: at least 16 characters, the same for gateways and workers. Not set: one is generated and kept in DATA_DIR, which works on one machine only. openssl rand -base64 32',
    ),
  },
};
