/** One of the queues with all that it needs beside the service: its store, a worker process, and the side that sends. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS } from '../../src/processes/node-options.ts';
import { connect } from '../database.ts';
import type { Service } from '../service.ts';
import { PROGRESS_TABLE, type ProductJob } from './product-job.ts';
import type { QueueKind } from './queue.ts';
import { startRedis } from './redis.ts';
import type { QueueWorkerSettings } from './worker.ts';

export interface StartedQueue {
  /** Of the worker, and of the store where that is a process of the queue's own. */
  pids: { worker: number; Redis?: number };
  /** Inserts products, each as a job under a new reference. @returns seconds. @throws when one is not inserted */
  insertAll(jobs: readonly ProductJob[]): Promise<number>;
  stop(): Promise<void>;
}

/** How often it is asked whether all jobs have ended. */
const POLL_MS = 25;

export async function startQueue(kind: QueueKind, service: Service): Promise<StartedQueue> {
  const { config, directory } = service;
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const name = `bench_${kind.name.toLowerCase().replace('-', '_')}`;
    await service.database.sql(`create database ${name}`);
    const databaseUrl = Object.assign(new URL(config.database.url), { pathname: `/${name}` }).href;
    const database = await connect(databaseUrl);
    stops.push(() => database.close());
    await database.sql(PROGRESS_TABLE);
    const redis = kind.usesRedis ? await startRedis(join(directory, 'redis')) : null;
    if (redis) stops.push(() => redis.stop());
    const settings: QueueWorkerSettings = {
      queue: kind.name,
      databaseUrl,
      redisPort: redis?.port ?? 0,
      concurrency: config.regulator.concurrency,
      poolSize: config.database.poolSize,
      regulatorUrl: config.regulator.url,
      token: await sessionToken(config.dataDir),
    };
    const sender = await kind.openSender(settings);
    stops.push(() => sender.close());
    const worker = await startWorker(settings);
    stops.push(() => worker.stop());

    let sent = 0;
    const allEnded = async () => {
      for (;;) {
        const { completed, failed } = await sender.counts();
        if (failed > 0) throw new Error(`${failed} jobs failed in ${kind.name}`);
        if (completed === sent) return;
        if (worker.hasEnded()) throw new Error(`the worker of ${kind.name} has ended`);
        await sleep(POLL_MS);
      }
    };
    const requireRecords = async () => {
      const [row] = await database.sql<{ whole: number }>(
        'select count(*)::int as whole from bench_progress where cardinality(steps) = 6',
      );
      if (row?.whole !== sent) throw new Error(`${kind.name} has inserted ${row?.whole} of ${sent} products`);
    };
    return {
      pids: { worker: worker.pid, ...(redis && { Redis: redis.pid }) },
      async insertAll(jobs) {
        const renewed = jobs.map((job) => ({ ...job, reference: randomUUID() }));
        const started = performance.now();
        sent += jobs.length;
        await sender.send(renewed);
        await allEnded();
        const seconds = (performance.now() - started) / 1000;
        await requireRecords();
        return seconds;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startWorker(settings: QueueWorkerSettings) {
  const program = fileURLToPath(new URL('./worker.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(settings)], { execArgv: [...NODE_OPTIONS] });
  let ended = false;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void exited.then(() => {
    ended = true;
  });
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    void exited.then(() => reject(new Error(`the worker of ${settings.queue} did not start`)));
  });
  return {
    pid: child.pid ?? Number.NaN,
    hasEnded: () => ended,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** The regulator knows one session at a time, and the service keeps its token encrypted: the simulator's journal tells it. */
async function sessionToken(dataDir: string): Promise<string> {
  const lines = (await readFile(join(dataDir, 'regulator-simulator.jsonl'), 'utf8')).trim().split('\n');
  const sessions = lines.filter((line) => line.startsWith('{"type":"session"'));
  const { value } = JSON.parse(sessions.at(-1) ?? '{}') as { value?: { token: string } };
  if (!value) throw new Error('the regulator has no session');
  return value.token;
}
