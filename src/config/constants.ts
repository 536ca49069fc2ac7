/** Values that no installation needs to change. Tests override them in the configuration object. */
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
  },
  archive: {
    /** Days after which the ZIP of a failed import is deleted, or ARCHIVE_RETENTION_DAYS if that is less. */
    failedRetentionDays: 7,
  },
  /** Memory of a process for the directories of the packages that it reads. A worker uses the same again for contents. */
  readingMemoryBytes: 64 * MB,
  worker: {
    /** Packages that a worker reads concurrently, for imports and dry runs. */
    readingConcurrency: 2,
    /** Time slice for reading a package. Then waiting packages have their turn. */
    readingTurnMs: 10_000,
  },
};
