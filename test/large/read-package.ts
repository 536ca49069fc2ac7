/**
 * Imports a package full of attachments, kills the worker in the middle of reading it, and lets another one
 * finish. What had been read by then is destroyed meanwhile: it cannot be read again.
 */
import { openAsBlob } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportResult } from '../../src/contract/types.ts';
import { packageImportWorkflowId } from '../../src/domain/ids.ts';
import { generatePackage } from '../../tools/package-generator/generate-package.ts';
import { eventually } from '../support/eventually.ts';
import { watchMemory } from '../support/memory.ts';
import type { StackProcess } from '../support/stack-process.ts';
import type { Stack } from '../support/starters/stack.ts';
import { call } from '../support/upload.ts';

const MIB = 1024 * 1024;

export interface LargePackage {
  products: number;
  attachments: number;
  attachmentBytes: number;
}

export interface ReadingFigures {
  packageMb: number;
  result: ImportResult;
  /** Attachments that were recorded when the worker died, and how many there are in the end. */
  recordedBeforeKill: number;
  recordedAtEnd: number;
  /** Different progress reports of the two workers, as the heartbeats told them. */
  heartbeats: { phase: string; done: number; total: number }[];
  /** By how much the second worker grew: until the attachments were read, and until the answer. */
  attachmentsGrowthMb: number;
  workerGrowthMb: number;
  seconds: number;
}

export async function readLargePackage(stack: Stack, size: LargePackage): Promise<ReadingFigures> {
  const file = join(stack.config.dataDir, 'large.zip');
  const generated = generatePackage({ ...size });
  const { bytes } = await generated.writeTo(file);
  const env = { WORKER_ROLES: 'package-import,package-reading' };
  const first = await stack.startProcess('worker', env);
  const begun = Date.now();
  const heartbeats = watchHeartbeats(stack);
  const answer = uploadFile(stack, file);
  // Awaited further down; a failure in between must not end the process.
  answer.catch(() => {});
  let second: StackProcess | undefined;
  try {
    await eventually(async () => (await countAttachments(stack)) >= size.attachments / 4, 300_000);
    await first.kill();
    const recordedBeforeKill = await countAttachments(stack);
    await destroyRecorded(stack);
    second = await stack.startProcess('worker', env);
    const memory = await watchMemory([second.pid]);
    await eventually(async () => (await countAttachments(stack)) >= size.attachments, 3_000_000);
    const attachmentsGrowthMb = memory.growthMib();
    const { status, body } = await answer;
    await memory.stop();
    const workerGrowthMb = memory.growthMib();
    if (status !== 200) throw new Error(body.message);
    return {
      packageMb: Math.round(bytes / MIB),
      result: body.data,
      recordedBeforeKill,
      recordedAtEnd: await countAttachments(stack),
      heartbeats: await heartbeats.stop(),
      attachmentsGrowthMb: Math.round(attachmentsGrowthMb),
      workerGrowthMb: Math.round(workerGrowthMb),
      seconds: (Date.now() - begun) / 1000,
    };
  } finally {
    await heartbeats.stop();
    await second?.stop();
    await rm(file, { force: true });
  }
}

async function uploadFile(stack: Stack, path: string) {
  const form = new FormData();
  form.set('file', await openAsBlob(path, { type: 'application/zip' }), 'large.zip');
  return call<ImportResult>(stack, 'POST', '/regulator/package-import', { body: form });
}

async function countAttachments(stack: Stack): Promise<number> {
  return stack.count('attachment');
}

/** Overwrites the middle of every attachment of the stored package that has been recorded. */
async function destroyRecorded(stack: Stack): Promise<void> {
  const rows = await stack.sql<{ entry_path: string; size_bytes: string }>(
    'select entry_path, size_bytes from attachment',
  );
  const [stored] = await stack.sql<{ storage_key: string }>('select storage_key from zip_import');
  const handle = await open(join(stack.config.dataDir, 'archive', stored?.storage_key ?? ''), 'r+');
  try {
    const { size } = await handle.stat();
    const piece = Buffer.alloc(MIB);
    const wanted = new Map(rows.map((row) => [row.entry_path, Number(row.size_bytes)]));
    // Headers stand in front of the data, so that each name is found there before it is in the directory.
    for (let at = 0; at < size && wanted.size > 0; at += piece.length / 2) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      const text = piece.toString('latin1', 0, bytesRead);
      for (const [path, bytes] of wanted) {
        const found = text.indexOf(path);
        if (found < 0) continue;
        await handle.write(Buffer.alloc(64), 0, 64, at + found + Math.floor(bytes / 2));
        wanted.delete(path);
      }
    }
    if (wanted.size > 0) throw new Error(`${wanted.size} attachments were not found in the stored package`);
  } finally {
    await handle.close();
  }
}

/** The heartbeats as `temporal workflow describe` and the Web UI show them. */
function watchHeartbeats(stack: Stack) {
  const seen = new Map<string, { phase: string; done: number; total: number }>();
  const ask = async () => {
    const [row] = await stack.sql<{ uuid: string }>('select uuid from zip_import');
    if (!row) return;
    const handle = stack.temporal.workflow.getHandle(packageImportWorkflowId(row.uuid));
    const { raw } = await handle.describe();
    for (const { heartbeatDetails } of raw.pendingActivities ?? []) {
      const data = heartbeatDetails?.payloads?.[0]?.data;
      if (data) seen.set(Buffer.from(data).toString(), JSON.parse(Buffer.from(data).toString()));
    }
  };
  const watch = repeat(ask, 250);
  return {
    async stop() {
      await watch.stop();
      return [...seen.values()];
    },
  };
}

/** Asks again and again; what fails is asked the next time. */
function repeat(ask: () => Promise<void>, everyMs: number) {
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      await ask().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}
