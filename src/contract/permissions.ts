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

/** Descriptions of the permissions, as OAuth scopes. */
export const PERMISSION_MEANINGS = {
  [PERMISSIONS.importPackage]: 'Import and check packages',
  [PERMISSIONS.readImports]: 'Read imports and their results',
  [PERMISSIONS.readSubmissions]: 'Read submissions and their product files',
  [PERMISSIONS.runSubmissions]: 'Retry the inserts of submissions and imports',
  [PERMISSIONS.manageSession]: 'Log the service in and out with the regulator',
  [PERMISSIONS.operate]: 'See and change the imports of every client; pause inserting; read the audit trail',
} as const satisfies Record<Permission, string>;
