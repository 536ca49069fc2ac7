/** A Redis server that keeps what it is told: a log of every change, flushed to the disk once a second. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { freePorts } from '../../test/support/free-ports.ts';

export interface RedisServer {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

/** @param directory for its log; gone with whatever holds it */
export async function startRedis(directory: string): Promise<RedisServer> {
  await mkdir(directory, { recursive: true });
  const [port = 0] = await freePorts(1);
  const options = {
    port: String(port),
    bind: '127.0.0.1',
    dir: directory,
    appendonly: 'yes',
    appendfsync: 'everysec',
    // No dumps beside the log.
    save: '',
    // BullMQ asks for it: a key that is evicted is a job that is lost.
    'maxmemory-policy': 'noeviction',
  };
  const child = spawn(
    'redis-server',
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  );
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes('Ready to accept connections')) resolve();
    });
    void exited.then(() => reject(new Error('redis-server did not start')));
  });
  return {
    pid: child.pid ?? Number.NaN,
    port,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
