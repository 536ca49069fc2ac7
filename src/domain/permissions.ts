/** Permissions that a token may carry (interface §5, §10). */
export const PERMISSIONS = {
  importPackage: 'submissions-tool.package-import.create',
  readImports: 'submissions-tool.package-import.read',
  readSubmissions: 'submissions-tool.submission.read',
  runSubmissions: 'submissions-tool.submission.run',
  manageSession: 'submissions-tool.regulator-session.manage',
  /** Sees and acts on the imports of every client, not only its own. */
  operate: 'submissions-tool.operate',
} as const;

export type Permission = (typeof PERMISSIONS)[keyof typeof PERMISSIONS];
