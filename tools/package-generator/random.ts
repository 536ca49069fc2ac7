/**
 * Deterministic random numbers. Every part of a package has its own source, seeded by labels of its purpose.
 * A file therefore has the same content regardless of time and order.
 */
import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

export interface Random {
  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number;
  /** True with this probability (0–1). */
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** `count` different members, in the order of the list; the whole list when it has no more. */
  sample<T>(list: readonly T[], count: number): T[];
  shuffle<T>(list: readonly T[]): T[];
  /** A member by weight, a whole number. */
  weighted<T>(choices: readonly (readonly [value: T, weight: number])[]): T;
  /** `count` decimal digits, leading zeros included. */
  digits(count: number): string;
  bytes(count: number): Buffer;
}

type Label = string | number;

/** @param labels the seed, and the purpose of the numbers */
export function createRandom(...labels: readonly Label[]): Random {
  const digest = digestOf(labels);
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map((offset) => digest.readInt32LE(offset)));
  const int = (from: number, to: number) => uniformInt(generator, from, to);

  function pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('The list to pick from is empty');
    return list[int(0, list.length - 1)] as T;
  }

  function shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = int(0, last);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }

  return {
    int,
    pick,
    shuffle,
    chance: (probability) => int(1, 1_000_000) <= probability * 1_000_000,
    sample(list, count) {
      const chosen = new Set(shuffle([...list.keys()]).slice(0, count));
      return list.filter((_, index) => chosen.has(index));
    },
    weighted(choices) {
      const values = choices.flatMap(([value, weight]) => Array.from({ length: weight }, () => value));
      return pick(values);
    },
    digits: (count) => Array.from({ length: count }, () => int(0, 9)).join(''),
    bytes(count) {
      const words = new Int32Array(Math.ceil(count / 4));
      for (let index = 0; index < words.length; index += 1) words[index] = generator.next();
      return Buffer.from(words.buffer, 0, count);
    },
  };
}

/** A UUID in the form of version 4, always the same for the same labels. */
export function uuidOf(...labels: readonly Label[]): string {
  const digest = digestOf(['uuid', ...labels]).toString('hex');
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

function digestOf(labels: readonly Label[]): Buffer {
  return createHash('sha256').update(JSON.stringify(labels)).digest();
}
