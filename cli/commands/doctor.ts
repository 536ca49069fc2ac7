/** `doctor`: checks the requirements of an upload, and says what to do about a failed one. */
import type { Command } from 'commander';
import { createSingleFlightCache } from '../../src/common/single-flight-cache.ts';
import { CLOCK_TOLERANCE_S } from '../../src/contract/limits.ts';
import { ApiError } from '../client/errors.ts';
import type { Act, Context } from '../context.ts';
import { failureOf } from '../failure.ts';
import { EXIT, Hinted, type Outcome, success } from '../outcome.ts';
import { tableOf } from '../screen.ts';

interface Check {
  name: string;
  /** Names of checks that must pass before this one. */
  needs?: readonly string[];
  /** Returns a text about the passed check. Throws the reason of a failed one. */
  ask(): Promise<string>;
}

interface Finding {
  check: string;
  /** Null: not checked, because a check before it failed. */
  ok: boolean | null;
  detail: string;
  advice: string[];
}

const forever = () => Number.POSITIVE_INFINITY;

export function addDoctorCommand(program: Command, act: Act): void {
  program
    .command('doctor')
    .description(
      'check what an upload needs, from the address to the versions; exit code 5 unless every check passes',
    )
    .action(act((context) => doctor(context, program.version() ?? '')));
}

async function doctor(context: Context, version: string): Promise<Outcome> {
  const findings: Finding[] = [];
  for (const check of checksOf(context, version)) {
    const waits = findings.some(({ check: name, ok }) => ok !== true && check.needs?.includes(name));
    findings.push(waits ? skipped(check) : await examined(check, context));
  }
  const good = findings.every(({ ok }) => ok);
  const rows = findings.map(({ check, ok, detail, advice }) => {
    const passed = ok === null ? '-' : ok ? 'yes' : 'no';
    return [check, passed, [detail, ...advice].join(' ')];
  });
  const message = good ? 'All checks passed.' : 'An upload would fail now.';
  const text = `${tableOf(['Check', 'Passed', 'Details'], rows, context.width)}\n${message}`;
  return success({ message, data: { checks: findings } }, text, good ? EXIT.ok : EXIT.no);
}

function skipped({ name, needs }: Check): Finding {
  return { check: name, ok: null, detail: `Not checked: it needs ${needs?.join(' and ')}.`, advice: [] };
}

async function examined({ name, ask }: Check, { client, options }: Context): Promise<Finding> {
  try {
    return { check: name, ok: true, detail: await ask(), advice: [] };
  } catch (error) {
    client.signal?.throwIfAborted();
    const [detail = '', ...advice] = failureOf(error, options).lines;
    return { check: name, ok: false, detail, advice };
  }
}

function checksOf({ client, imports, options }: Context, version: string): Check[] {
  const { get: service } = createSingleFlightCache(() => client.call('getLiveness'), forever);
  const { get: upload } = createSingleFlightCache(() => refusalOfEmptyUpload(client), forever);
  /** An empty upload is refused by the first thing that is missing. */
  const unlessRefused = async (refuses: (error: ApiError) => boolean, holds: string) => {
    const refusal = await upload();
    if (refusal && refuses(refusal)) throw refusal;
    return holds;
  };
  const isAccess = ({ status }: ApiError) => status === 401 || status === 403;
  const isSession = ({ code }: ApiError) => code === 'session_required';
  return [
    { name: 'address', ask: async () => (await service()) && `A service answers at ${options.gateway}.` },
    { name: 'clock', needs: ['address'], ask: async () => sameTime((await service()).headers.get('date')) },
    {
      name: 'versions',
      needs: ['address'],
      ask: async () => sameVersion(version, (await service()).data.version),
    },
    { name: 'token', ask: async () => (await client.accessToken()) && `${options.tokenUrl} issues tokens.` },
    {
      name: 'permission to read',
      needs: ['address', 'token'],
      ask: async () => (await imports.list({ limit: 1 })) && 'The client may read its imports.',
    },
    {
      name: 'permission to import',
      needs: ['address', 'token'],
      ask: () => unlessRefused(isAccess, 'The client may import packages.'),
    },
    {
      name: 'regulator session',
      needs: ['permission to import'],
      ask: () => unlessRefused(isSession, 'The service is logged in with the regulator.'),
    },
    {
      name: 'room and workers',
      needs: ['regulator session'],
      ask: () => unlessRefused(() => true, 'The service accepts an upload now.'),
    },
  ];
}

/** @returns null if only the file is missing; no import is created */
async function refusalOfEmptyUpload(client: Context['client']): Promise<ApiError | null> {
  try {
    await client.call('postPackageImport', { accept: [400] });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** @param date header of an answer that has just arrived; it has whole seconds (RFC 9110 §6.6.1) */
function sameTime(date: string | null): string {
  const offMs = Date.now() - Date.parse(date ?? '');
  if (Number.isNaN(offMs)) throw new Error('The answer of the service has no date.');
  const seconds = Math.round(Math.abs(offMs) / 1000);
  if (Math.abs(offMs) <= CLOCK_TOLERANCE_S * 1000) return 'This machine and the service have the same time.';
  const fault = new Error(`The clock of this machine is ${seconds} s ${offMs > 0 ? 'ahead' : 'behind'}.`);
  throw new Hinted(fault, 'Set it by a time server (NTP): tokens are valid for a few minutes only.');
}

/** Versions with the same first number understand each other (CHANGELOG.md). */
function sameVersion(own: string, its: string): string {
  const both = `The command line is ${own}, the service ${its}`;
  if (own.split('.')[0] === its.split('.')[0]) return `${both}.`;
  throw new Hinted(new Error(`${both}.`), 'Install the command line of the service’s version.');
}
