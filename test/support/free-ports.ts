import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portsWith } from '../../src/config/constants.ts';

/**
 * Ports below the range of outgoing connections (from 32768 on Linux, from 49152 elsewhere, RFC 6335 section 6).
 * Otherwise a connection could take the port of a server that is about to start or restart.
 */
const PORTS = { min: 10_240, max: 32_768 };

/**
 * One file for each port that a process of some test run has found, with the process's id. A service may listen on its
 * port long after it was found free: without claims, another process finds the same port meanwhile.
 */
const CLAIMS = join(tmpdir(), 'package-import-test-ports');
const claimed = new Set<string>();
process.once('exit', () => {
  for (const file of claimed) rmSync(file, { force: true });
});

/** Finds free ports. They belong to this process until it ends. */
export async function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, freePort));
}

async function freePort(): Promise<number> {
  const port = randomInt(PORTS.min, PORTS.max);
  return (await take([port])) ? port : freePort();
}

/** Finds a PORT_OFFSET with which all ports of the service are free. They belong to this process until it ends. */
export async function freePortOffset(): Promise<number> {
  const usual = Object.values(portsWith(0));
  const offset = randomInt(PORTS.min - Math.min(...usual), PORTS.max - Math.max(...usual));
  return (await take(Object.values(portsWith(offset)))) ? offset : freePortOffset();
}

/** All of the ports, or none. */
async function take(ports: readonly number[]): Promise<boolean> {
  const taken = ports.filter(claim);
  const areFree = taken.length === ports.length && (await Promise.all(ports.map(isFree))).every(Boolean);
  if (!areFree) for (const port of taken) release(port);
  return areFree;
}

const fileOf = (port: number) => join(CLAIMS, String(port));

function claim(port: number): boolean {
  const file = fileOf(port);
  mkdirSync(CLAIMS, { recursive: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    claimed.add(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!isLeftBehind(file)) return false;
    rmSync(file, { force: true });
    return claim(port);
  }
}

function release(port: number): void {
  const file = fileOf(port);
  rmSync(file, { force: true });
  claimed.delete(file);
}

/** Whether the process of a claim has ended without removing it. */
function isLeftBehind(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return ['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listens) await new Promise((resolve) => server.close(resolve));
  return listens;
}
