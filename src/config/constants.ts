/** Values that no installation has a reason to choose. Tests change them in the configuration that they pass on. */
const MB = 1024 * 1024;

export const CONSTANTS = {
  gateway: {
    /** Connections of one process. Those beyond get 503. */
    maxConnections: 1000,
    /** Uploads that one process receives at the same time: each may hold 10 MB with a bucket, all of them 400 MB. */
    uploadsAtOnce: 28,
    /** Silence after which an upload is given up. */
    uploadIdleMs: 60_000,
    /** Throughput that an upload needs, averaged over the window. Slower ones end with 408. */
    uploadFloor: { bytesPerSecond: 1024, windowMs: 60_000 },
  },
  archive: {
    /** Days after which the ZIP of an import that failed is deleted, unless the others are deleted before. */
    failedRetentionDays: 7,
  },
  /** Memory of a process for the directories of the packages that it reads; a worker has as much again for contents. */
  readingMemoryBytes: 64 * MB,
  worker: {
    /** Packages that a worker reads at the same time, for imports and dry runs. */
    readingConcurrency: 2,
    /** How long the package of an import is read before others that wait have their turn. */
    readingTurnMs: 10_000,
  },
};
