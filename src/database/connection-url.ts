/** TLS parameters of DATABASE_URL, with libpq's meaning. The ORM ignores them. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import { isLoopback } from '../common/network.ts';

const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

type DatabaseTls = Readonly<{
  /** Name, address, or directory of a Unix socket. */
  host: string;
  mode: (typeof MODES)[number];
  /** Path of a PEM file; `undefined` for the authorities that Node.js trusts. */
  rootFile: string | undefined;
  certFile: string | undefined;
  keyFile: string | undefined;
}>;

/** @throws Error that names the wrong parameter, and nothing else of the URL: it contains a password */
export function parseDatabaseTls(url: string): DatabaseTls {
  const { hostname, searchParams } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw new Error('has no host');
  // The last value of a repeated parameter counts, as with libpq.
  const { sslmode, sslrootcert, sslcert, sslkey, ...others } = Object.fromEntries(
    [...searchParams].filter(([, value]) => value !== ''),
  );
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new Error(`the parameter ${other} is not supported; supported are ${PARAMETERS.join(', ')}`);
  const mode = MODES.find((one) => one === (sslmode ?? 'disable'));
  if (mode === undefined) throw new Error(`sslmode must be one of ${MODES.join(', ')}${reason(sslmode)}`);
  if (sslmode === undefined && (sslrootcert ?? sslcert ?? sslkey) !== undefined)
    throw new Error('sslrootcert, sslcert and sslkey require sslmode');
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new Error('a client certificate requires both sslcert and sslkey');
  if (sslrootcert === 'system' && mode !== 'verify-full')
    throw new Error(
      'sslrootcert=system requires sslmode=verify-full: anybody can get a certificate of a public authority',
    );
  if (mode === 'verify-ca' && sslrootcert === undefined)
    throw new Error('sslmode=verify-ca requires sslrootcert, a PEM file with the certificate authority');
  return {
    host,
    mode: mode === 'require' && sslrootcert !== undefined ? 'verify-ca' : mode,
    rootFile: sslrootcert === 'system' ? undefined : sslrootcert,
    certFile: sslcert,
    keyFile: sslkey,
  };
}

function reason(mode: string | undefined): string {
  return mode === 'allow' || mode === 'prefer' ? `: ${mode} falls back to a connection without TLS` : '';
}

/** Whether the connection is safe from eavesdropping and impersonation: the server is on this machine, or verified. */
export function isSafe({ host, mode }: DatabaseTls): boolean {
  return isSocket(host) || isLoopback(host) || mode === 'verify-ca' || mode === 'verify-full';
}

/**
 * Value for the option `ssl` of `pg`.
 *
 * @throws Error that names the wrong parameter
 */
export async function tlsOptions(url: string): Promise<ConnectionOptions | false> {
  const { host, mode, rootFile, certFile, keyFile } = parseDatabaseTls(url);
  // As libpq: servers have no TLS on their Unix sockets.
  if (mode === 'disable' || isSocket(host)) return false;
  return {
    rejectUnauthorized: mode !== 'require',
    // Without the host, Node.js checks for `localhost` when the URL has an address.
    checkServerIdentity: (_name, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined,
    ...(rootFile !== undefined && { ca: await readAuthority(rootFile) }),
    ...(certFile !== undefined && { cert: await readPem('sslcert', certFile) }),
    ...(keyFile !== undefined && { key: await readPem('sslkey', keyFile) }),
  };
}

/** Reads the authorities. An empty file would make Node.js trust all public authorities. */
async function readAuthority(path: string): Promise<string> {
  const pem = await readPem('sslrootcert', path);
  try {
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new Error(`DATABASE_URL: sslrootcert must be a PEM file with certificates: ${path}`);
  }
}

async function readPem(parameter: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(`DATABASE_URL: ${parameter} cannot be read: ${(error as Error).message}`);
  }
}

function isSocket(host: string): boolean {
  return host.startsWith('/');
}
