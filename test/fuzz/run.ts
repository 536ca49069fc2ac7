/** One run of the fuzzer: a package by seed and number, something done to it, read, and held to the invariants. */
import assert from 'node:assert/strict';
import { InvalidPackage } from '../../src/domain/client-errors.ts';
import { FILE_FAULT_NAMES } from '../../tools/package-generator/faults.ts';
import {
  type GeneratedFile,
  type GeneratedPackage,
  generatePackage,
} from '../../tools/package-generator/generate-package.ts';
import { createRandom, type Random } from '../../tools/package-generator/random.ts';
import { storedBytes } from '../archive/support/stored-bytes.ts';
import { writeZip } from '../archive/support/zip-writer.ts';
import { expectationOf } from '../support/generator-oracle.ts';
import { mutateBytes, mutateRecords, mutateXml, packRarely } from './mutations.ts';
import { type PackageReading, readPackage, requireInvariants, sha256Of } from './reading.ts';

/** Kinds of mutations of a package. */
export const KINDS = ['bytes', 'records', 'xml', 'packing'] as const;
export type Kind = (typeof KINDS)[number];

export interface Run {
  kind: Kind;
  zip: Buffer;
  /** Checks what came of it. @throws AssertionError */
  check(reading: PackageReading | InvalidPackage): void;
}

interface PackedFile {
  path: string;
  content: Buffer;
  generated: GeneratedFile;
}

/** Packages that are mutated again and again: most of the time would go into making them. */
const PACKAGES = 50;
const made = new Map<string, Promise<PackedFile[]>>();

function packageOf(seed: number, number: number): Promise<PackedFile[]> {
  const key = `${seed} ${number}`;
  const files = made.get(key) ?? makeFiles(createRandom('fuzzed package', seed, number));
  made.set(key, files);
  return files;
}

async function makeFiles(random: Random): Promise<PackedFile[]> {
  const generated = generatePackage({
    products: random.int(1, 4),
    seed: random.int(1, 1_000_000),
    style: random.pick(['plain', 'varied']),
    attachments: 2,
    attachmentBytes: random.int(0, 3000),
    faults: random.chance(0.3) ? { [random.pick(FILE_FAULT_NAMES)]: 1 } : {},
  });
  return contentsOf(generated);
}

/** The same seed and number make the same run. */
export async function makeRun(seed: number, number: number): Promise<Run> {
  const random = createRandom('fuzz', seed, number);
  const files = await packageOf(seed, random.int(0, PACKAGES - 1));
  const kind = random.pick(KINDS);
  return { kind, ...runs[kind](files, random) };
}

/** @throws AssertionError, or whatever the reading threw that it must not throw */
export async function execute({
  zip,
  check,
}: Pick<Run, 'zip' | 'check'>): Promise<PackageReading | InvalidPackage> {
  const stored = storedBytes(zip);
  const reading = await readPackage(stored);
  assert(stored.closed, 'the stored file is closed');
  requireInvariants(reading);
  check(reading);
  return reading;
}

const runs: Record<Kind, (files: readonly PackedFile[], random: Random) => Omit<Run, 'kind'>> = {
  bytes: (files, random) => ({
    zip: mutateBytes(writeZip(packRarely(files, random)), random),
    check: (reading) => requireOriginalContents(reading, files),
  }),
  records: (files, random) => ({
    zip: mutateRecords(writeZip(packRarely(files, random)), random),
    check: (reading) => requireOriginalContents(reading, files),
  }),
  xml(files, random) {
    const victim = random.pick(files);
    const changed = files.map((file) =>
      file === victim ? { ...file, content: mutateXml(file.content, random) } : file,
    );
    return {
      zip: writeZip(packRarely(changed, random)),
      check: (reading) => requireAsGenerated(reading, files, victim),
    };
  },
  packing: (files, random) => ({
    zip: writeZip(packRarely(files, random)),
    check: (reading) => requireAsGenerated(reading, files),
  }),
};

/** For any mutation of the archive: the content equals the packed content, or the package is refused. */
function requireOriginalContents(
  reading: PackageReading | InvalidPackage,
  files: readonly PackedFile[],
): void {
  if (reading instanceof InvalidPackage) return;
  const packed = new Set([sha256Of(Buffer.alloc(0)), ...files.map(({ content }) => sha256Of(content))]);
  for (const digest of reading.digests) assert(packed.has(digest), 'a content was read that nobody packed');
}

/** Every file but the victim is read as it was generated. */
export function requireAsGenerated(
  reading: PackageReading | InvalidPackage,
  files: readonly Pick<PackedFile, 'path' | 'generated'>[],
  victim?: Pick<PackedFile, 'path'>,
): void {
  assert(!(reading instanceof InvalidPackage), `refused: ${(reading as InvalidPackage).message}`);
  const outcomes = new Map(reading.outcomes.map((outcome) => [outcome.entryPath, outcome]));
  const unreadable = new Map(reading.unreadable.map(({ path, reason }) => [path, reason]));
  for (const { path, generated } of files) {
    if (path === victim?.path) continue;
    assert.equal(unreadable.get(path), undefined);
    if (!('planned' in generated)) continue;
    const expectation = expectationOf(generated.planned);
    const outcome = outcomes.get(path);
    // The victim may have become another product, or none: then the next file of that product counts, or not.
    if (victim && outcome?.outcome !== expectation.outcome && outcome?.outcome !== 'failed') continue;
    assert.equal(outcome?.outcome, expectation.outcome, path);
    const productId = outcome?.outcome === 'created' ? outcome.product.productId : outcome?.productId;
    assert.equal(productId, expectation.productId, path);
    if (outcome?.outcome === 'created')
      assert.deepEqual(outcome.product.sections, expectation.values?.().sections, path);
  }
}

export async function contentsOf({ files }: GeneratedPackage): Promise<PackedFile[]> {
  const packed: PackedFile[] = [];
  for (const generated of files) {
    const made = generated.content();
    const content = Buffer.isBuffer(made) ? made : Buffer.concat(await made.toArray());
    packed.push({ path: generated.path, content, generated });
  }
  return packed;
}
