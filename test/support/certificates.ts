/** Certificates of a test's own authority, made by the machine's `openssl`. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from './temporary.ts';

const run = promisify(execFile);

export interface KeyPair {
  /** Paths of PEM files. */
  cert: string;
  key: string;
}

export interface Authority {
  cert: string;
  /** @param name host name or IP address */
  issue(name: string): Promise<KeyPair>;
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export async function createAuthority(authority = 'authority'): Promise<Authority> {
  const directory = await temporaryDirectory();
  const cert = join(directory, `${authority}.pem`);
  const key = join(directory, `${authority}.key`);
  await run('openssl', ['req', '-x509', ...EC, '-keyout', key, '-out', cert, '-subj', `/CN=${authority}`]);
  return {
    cert,
    async issue(name) {
      const pair = { cert: join(directory, `${name}.pem`), key: join(directory, `${name}.key`) };
      const request = join(directory, `${name}.csr`);
      const extensions = join(directory, `${name}.ext`);
      await writeFile(extensions, `subjectAltName=${isIP(name) ? 'IP' : 'DNS'}:${name}\n`);
      await run('openssl', ['req', ...EC, '-keyout', pair.key, '-out', request, '-subj', `/CN=${name}`]);
      const signing = ['-CA', cert, '-CAkey', key, '-CAcreateserial', '-extfile', extensions];
      await run('openssl', ['x509', '-req', '-in', request, '-out', pair.cert, ...signing]);
      return pair;
    },
  };
}
