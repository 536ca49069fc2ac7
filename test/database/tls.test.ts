/**
 * The TLS parameters of DATABASE_URL, against a PostgreSQL with a certificate of its own authority (issue 23, point 1).
 */

import { chmod, chown, copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { tlsOptions } from '../../src/database/connection-url.ts';
import { connect, ownConnection } from '../../src/database/orm.ts';
import { startPostgres } from '../../src/trial-parts/servers/postgres.ts';
import { createAuthority } from '../support/certificates.ts';
import { atEnd } from '../support/cleanup.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { SSL_REQUEST, startRecordingServer } from './support/recording-server.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const LOGIN = { user: 'package_import', password: 'of-the-test' };

const directory = await temporaryDirectory();
await chmod(directory, 0o755); // PostgreSQL runs as another user and needs access.
const dataDirectory = join(directory, 'postgres');
const [port = 0] = await freePorts(1);
const postgres = await startPostgres({
  directory: dataDirectory,
  host: '127.0.0.1',
  port,
  ...LOGIN,
  databases: ['package_import'],
  flags: ['-c', 'fsync=off'],
});
atEnd(postgres.stop);
const authority = await createAuthority();
const otherAuthority = await createAuthority('other-authority');
const client = await authority.issue('importer');

interface Address {
  host?: string;
  at?: number;
}

function urlOf(parameters: Record<string, string>, { host = '127.0.0.1', at = port }: Address = {}): string {
  const query = new URLSearchParams(parameters);
  return `postgresql://${LOGIN.user}:${LOGIN.password}@${host}:${at}/package_import?${query}`;
}

async function query<Row>(url: string, sql: string): Promise<Row[]> {
  const orm = await connect(url, { poolSize: 1, connectMs: 10_000 });
  try {
    return await orm.em.fork().execute<Row[]>(sql);
  } finally {
    await orm.close(true);
  }
}

/** PostgreSQL's own view of the connection. */
const seen = async (url: string) =>
  (
    await query<{ ssl: boolean; client: string | null }>(
      url,
      'select ssl, client_dn as client from pg_stat_ssl where pid = pg_backend_pid()',
    )
  )[0];

const VERIFYING = ['require', 'verify-ca', 'verify-full'] as const;

describe('a server without TLS', () => {
  it.each(VERIFYING)('is refused with sslmode=%s', async (sslmode) => {
    const url = urlOf({ sslmode, sslrootcert: authority.cert });
    await expect(seen(url)).rejects.toThrow(/does not support SSL/);
  });

  it.each([{}, { sslmode: 'disable' }])('is accepted with %o', async (parameters: Record<string, string>) => {
    expect(await seen(urlOf(parameters))).toMatchObject({ ssl: false });
  });

  it.each(VERIFYING)('gets only the request for TLS with sslmode=%s', async (sslmode) => {
    const server = await startRecordingServer();
    const url = urlOf({ sslmode, sslrootcert: authority.cert }, { at: server.port });
    await expect(seen(url)).rejects.toThrow();
    expect(server.clear.length).toBeGreaterThan(0);
    expect(server.clear).toEqual(server.clear.map(() => SSL_REQUEST));
  });
});

describe('a server with a certificate for localhost', () => {
  beforeAll(() => serve('localhost'));

  it('is verified by authority and name with sslmode=verify-full', async () => {
    const url = urlOf({ sslmode: 'verify-full', sslrootcert: authority.cert }, { host: 'localhost' });
    expect(await seen(url)).toEqual({ ssl: true, client: null });
  });

  it('is verified by the connection beside the pool, too', async () => {
    const seenBesidePool = async (sslrootcert: string, host: string) => {
      // The URL of a server without verification, so that the pool connects.
      const orm = await connect(urlOf({ sslmode: 'require' }), { poolSize: 1, connectMs: 10_000 });
      const url = urlOf({ sslmode: 'verify-full', sslrootcert }, { host });
      orm.config.set('clientUrl', url);
      orm.config.set('host', host);
      orm.config.set('driverOptions', { ...orm.config.get('driverOptions'), ssl: await tlsOptions(url) });
      const beside = ownConnection(orm, 10_000);
      try {
        const ssl = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
        return (await ssl.execute(beside)).rows;
      } finally {
        await beside.destroy();
        await orm.close(true);
      }
    };
    expect(await seenBesidePool(authority.cert, 'localhost')).toEqual([{ ssl: true }]);
    await expect(seenBesidePool(authority.cert, '127.0.0.1')).rejects.toThrow(/does not match certificate/);
    await expect(seenBesidePool(otherAuthority.cert, 'localhost')).rejects.toThrow(/certificate/);
  });

  it('is refused under another name with sslmode=verify-full, also under an address', async () => {
    const url = urlOf({ sslmode: 'verify-full', sslrootcert: authority.cert });
    await expect(seen(url)).rejects.toThrow(/does not match certificate/);
  });

  it.each(['require', 'verify-ca'])('is accepted under another name with sslmode=%s', async (sslmode) => {
    expect(await seen(urlOf({ sslmode, sslrootcert: authority.cert }))).toEqual({ ssl: true, client: null });
  });

  it.each(VERIFYING)('is refused with the certificate of another authority, sslmode=%s', async (sslmode) => {
    const url = urlOf({ sslmode, sslrootcert: otherAuthority.cert }, { host: 'localhost' });
    await expect(seen(url)).rejects.toThrow(/certificate/);
  });

  it.each<Record<string, string>>([{}, { sslrootcert: 'system' }])(
    'is refused when only public authorities are trusted: %o',
    async (parameters) => {
      const url = urlOf({ sslmode: 'verify-full', ...parameters }, { host: 'localhost' });
      await expect(seen(url)).rejects.toThrow(/certificate/);
    },
  );

  it('is accepted unverified with sslmode=require alone, and the connection is encrypted', async () => {
    expect(await seen(urlOf({ sslmode: 'require' }))).toEqual({ ssl: true, client: null });
  });

  it('gets the certificate of the client', async () => {
    const parameters = { sslrootcert: authority.cert, sslcert: client.cert, sslkey: client.key };
    const url = urlOf({ sslmode: 'verify-full', ...parameters }, { host: 'localhost' });
    expect(await seen(url)).toEqual({ ssl: true, client: '/CN=importer' });
  });
});

describe('a server with a certificate for its address', () => {
  beforeAll(() => serve('127.0.0.1'));

  it('is verified by the address with sslmode=verify-full', async () => {
    const parameters = { sslmode: 'verify-full', sslrootcert: authority.cert };
    expect(await seen(urlOf(parameters))).toEqual({ ssl: true, client: null });
    await expect(seen(urlOf(parameters, { host: 'localhost' }))).rejects.toThrow(
      /does not match certificate/,
    );
  });
});

describe('a server that is not PostgreSQL', () => {
  it.each(['verify-ca', 'verify-full'])('gets no data inside TLS with sslmode=%s', async (sslmode) => {
    const { cert, key } = await otherAuthority.issue('localhost');
    const files = { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
    const server = await startRecordingServer(files);
    const at = { host: 'localhost', at: server.port };
    await expect(seen(urlOf({ sslmode, sslrootcert: authority.cert }, at))).rejects.toThrow(/certificate/);
    expect(server.clear).toEqual(server.clear.map(() => SSL_REQUEST));
    expect(server.inside).toEqual([]);
    // The same server receives the login without verification: it would record one.
    await expect(seen(urlOf({ sslmode: 'require' }, at))).rejects.toThrow();
    expect(Buffer.concat(server.inside).toString()).toContain(LOGIN.user);
  });
});

describe('an invalid certificate file', () => {
  it.each(['sslrootcert', 'sslcert', 'sslkey'])('%s is named when it is missing', async (name) => {
    const files = { sslrootcert: authority.cert, sslcert: client.cert, sslkey: client.key };
    const url = urlOf({ sslmode: 'verify-full', ...files, [name]: '/nowhere/file.pem' });
    await expect(seen(url)).rejects.toThrow(new RegExp(`DATABASE_URL: ${name} .*/nowhere/file.pem`));
  });

  it.each(['', 'no certificate'])('sslrootcert without a certificate is refused: "%s"', async (content) => {
    const file = join(directory, 'empty.pem');
    await writeFile(file, content);
    await expect(seen(urlOf({ sslmode: 'verify-ca', sslrootcert: file }))).rejects.toThrow(
      /DATABASE_URL: sslrootcert .*empty\.pem/,
    );
  });
});

/** Configures the server with a certificate of the authority for this name, and with client verification. */
async function serve(name: string): Promise<void> {
  const { cert, key } = await authority.issue(name);
  const { uid, gid } = await stat(dataDirectory);
  for (const [from, to] of Object.entries({
    [cert]: 'cert.pem',
    [key]: 'key.pem',
    [authority.cert]: 'ca.pem',
  })) {
    const file = join(dataDirectory, to);
    await copyFile(from, file);
    await chown(file, uid, gid);
    await chmod(file, 0o600);
  }
  const settings = { ssl_cert_file: 'cert.pem', ssl_key_file: 'key.pem', ssl_ca_file: 'ca.pem', ssl: 'on' };
  for (const [setting, value] of Object.entries(settings))
    await query(urlOf({}), `alter system set ${setting} = '${value}'`);
  await query(urlOf({}), 'select pg_reload_conf()');
  // The server may keep its old configuration for a moment.
  const verified = urlOf({ sslmode: 'verify-full', sslrootcert: authority.cert }, { host: name });
  await eventually(() => succeeds(seen(verified)));
}
