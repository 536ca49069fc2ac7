/**
 * Options of Node.js for small heaps. By default, V8 lets garbage grow to gigabytes on a large machine, although the
 * processes need far less (measured in test/end-to-end/{hostile,large}-packages.test.ts). The scripts of package.json and
 * deploy/Dockerfile contain the same values.
 */
export const NODE_OPTIONS = ['--max-old-space-size=256', '--max-semi-space-size=8'] as const;
