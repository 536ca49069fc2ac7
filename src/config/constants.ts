/**
 * Values that no installation needs to change, and the default ports. Tests override them in the configuration object.
 */

const MB = 1024 * 1024;

export const CONSTANTS = {
  gateway: {
    /** Connections of one process. Further ones get 503. */
    maxConnections: 1000,
    /** Uploads that one process receives at the same time: each may hold 10 MB with a bucket, all of them 400 MB. */
    uploadsAtOnce: 28,
    /** Idle timeout of an upload. */
    uploadIdleMs: 60_000,
    /** Minimum throughput of an upload, averaged over the window. A slower one ends with 408. */
    uploadFloor: { bytesPerSecond: 1024, windowMs: 60_000 },
    /** Time that a stopping gateway waits for uploads. One without a byte still ends after its idle timeout. */
    uploadGraceMs: 10 * 60_000,
  },
  quotas: {
    /** Requests of one program or person. Only one in an endless loop sends more. */
    requestsPerMinute: 6000,
  },
  archive: {
    /** Days after which the ZIP of a failed import is deleted, or ARCHIVE_RETENTION_DAYS if that is less. */
    failedRetentionDays: 7,
  },
  /** Time that a stopping process waits for activities, and for requests other than uploads. */
  shutdownGraceMs: 30_000,
  /** Memory of a worker for the directories of the packages that it reads, and the same again for their contents. */
  readingMemoryBytes: 64 * MB,
  worker: {
    /** Packages that a worker reads concurrently, for imports and dry runs. */
    readingConcurrency: 2,
    /** Time slice for reading a package. Waiting packages are read before the next slice. */
    readingSliceMs: 10_000,
  },
};

/** Default ports on one machine. PORT_OFFSET moves all of them, so that a second checkout can run beside the first. */
const USUAL_PORTS = {
  gateway: 8080,
  identityService: 8081,
  regulatorSimulator: 8082,
  temporal: 7233,
  temporalUi: 8233,
  postgres: 5433,
  mailbox: 1025,
  mailboxPages: 8025,
};

export type Ports = typeof USUAL_PORTS;

/** A greater offset would move a port beyond 65535. */
export const MAX_PORT_OFFSET = 65_535 - Math.max(...Object.values(USUAL_PORTS));

export function portsWith(offset: number): Ports {
  const moved = Object.entries(USUAL_PORTS).map(([part, port]) => [part, port + offset]);
  return Object.fromEntries(moved) as Ports;
}
