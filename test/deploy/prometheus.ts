/** A real Prometheus that scrapes a running service. `.ci/programs` brings it. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { stopProcess } from '../../src/trial-parts/servers/local-server.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';

export interface Sample {
  metric: Record<string, string>;
  value: number;
}

export interface RunningPrometheus {
  /** @throws with what is wrong with the expression */
  query(expression: string): Promise<Sample[]>;
  rules(): Promise<{ name: string; health: string; lastError?: string }[]>;
  stop(): Promise<void>;
}

/** Resolves when it answers. @param jobs their targets, as `host:port`, by their names */
export async function startPrometheus(
  program: string,
  { jobs, ruleFile }: { jobs: Record<string, string>; ruleFile: string },
): Promise<RunningPrometheus> {
  const directory = await mkdtemp(join(tmpdir(), 'package-import-prometheus-'));
  const [port] = await freePorts(1);
  const file = join(directory, 'prometheus.yml');
  await writeFile(
    file,
    stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [ruleFile],
      scrape_configs: Object.entries(jobs).map(([name, target]) => ({
        job_name: name,
        static_configs: [{ targets: [target] }],
      })),
    }),
  );
  const options = {
    'config.file': file,
    'storage.tsdb.path': join(directory, 'data'),
    'web.listen-address': `127.0.0.1:${port}`,
    'log.level': 'error',
  };
  const child = spawn(
    program,
    Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said = (said + text).slice(-2_000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;

  async function ask<T>(path: string): Promise<T> {
    const { status, error, data } = (await (await fetch(`${url}/api/v1/${path}`)).json()) as {
      status: string;
      error?: string;
      data: T;
    };
    if (status !== 'success') throw new Error(error);
    return data;
  }

  async function stop(): Promise<void> {
    await stopProcess(child, exited);
    await rm(directory, { recursive: true, force: true });
  }

  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus does not start: ${said}`);
    return (await fetch(`${url}/-/ready`).catch(() => null))?.ok;
  }).catch(async (error: Error) => {
    await stop();
    throw error;
  });
  return {
    async query(expression) {
      const { result } = await ask<{ result: { metric: Sample['metric']; value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      );
      return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    async rules() {
      const { groups } = await ask<{ groups: { rules: Awaited<ReturnType<RunningPrometheus['rules']>> }[] }>(
        'rules',
      );
      return groups.flatMap(({ rules }) => rules);
    },
    stop,
  };
}
