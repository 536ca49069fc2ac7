/** The input and output of every measure. */
import type { Reading } from './figure.ts';
import type { Service, ServiceOptions } from './service.ts';

export interface Sizes {
  /** Products of an ordinary import; at most 200, which one parent workflow starts. */
  products: number;
  /** Products of the large import, whose speed and answer are compared with those of an ordinary one. */
  waiting: number;
  /** Products that are being inserted while other clients wait for an answer. */
  background: number;
  uploadMb: number;
  rounds: number;
}

export const SIZES: Sizes = { products: 200, waiting: 1_000, background: 1_000, uploadMb: 2_047, rounds: 3 };
export const QUICK_SIZES: Sizes = { products: 20, waiting: 60, background: 60, uploadMb: 256, rounds: 1 };

export interface Measure extends ServiceOptions {
  name: string;
  prepare(service: Service, sizes: Sizes): Promise<Prepared>;
}

export interface Prepared {
  /** Measures the service and the floor one right after the other, so that other load of the machine affects both. */
  round(): Promise<Reading[]>;
  close?: () => Promise<void>;
}

/**
 * Uploads a new package.
 * @returns its import, and the seconds until the answer
 * @throws Error when not all products were queued
 */
export async function uploadProducts(
  service: Service,
  products: number,
): Promise<{ importId: number; answeredAfter: number }> {
  const file = await service.makePackage(products);
  const started = performance.now();
  const { data } = await service.imports.upload(file);
  const answeredAfter = (performance.now() - started) / 1000;
  const { queued_count } = data.queue;
  if (queued_count !== products) throw new Error(`Only ${queued_count} of ${products} products were queued`);
  return { importId: data.id, answeredAfter };
}

/** @throws Error when the number of inserted products differs at the end of the import */
export async function requireInserted(service: Service, importId: number, products: number): Promise<void> {
  const inserted = await service.inserted(importId);
  if (inserted !== products) throw new Error(`Only ${inserted} of ${products} products were inserted`);
}

interface ImportTimes {
  /** Seconds from the upload to the answer. */
  answeredAfter: number;
  /** Seconds from the upload to the last insert. */
  wholeSeconds: number;
  /** Rate from the answer to the last insert, over the products that were not inserted at the answer. */
  insertedPerSecond: number;
}

/** Imports a new package, until the last insert. @throws Error when not all products were inserted */
export async function importOf(service: Service, products: number): Promise<ImportTimes> {
  const started = performance.now();
  const { importId, answeredAfter } = await uploadProducts(service, products);
  const insertedBefore = await service.inserted(importId);
  const answered = performance.now();
  await service.ended(importId);
  const ended = performance.now();
  await requireInserted(service, importId, products);
  return {
    answeredAfter,
    wholeSeconds: (ended - started) / 1000,
    insertedPerSecond: ((products - insertedBefore) * 1000) / (ended - answered),
  };
}
