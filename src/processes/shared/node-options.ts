/**
 * How our processes are started: with small heaps. V8 would let garbage grow to gigabytes on a machine that has them;
 * what our processes hold at any time is far less (measured in test/end-to-end/{hostile,large}-packages.test.ts).
 * The same values stand in the scripts of package.json and in deploy/Dockerfile.
 */
export const NODE_OPTIONS = ['--max-old-space-size=256', '--max-semi-space-size=8'] as const;
