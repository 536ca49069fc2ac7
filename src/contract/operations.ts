/** Every operation of the API: its path, and the permission that it needs. Its schemas are in `schemas/`. */

/** Permissions that a token may carry (interface §5, §10). */
export const PERMISSIONS = {
  importPackage: 'submissions-tool.package-import.create',
  readImports: 'submissions-tool.package-import.read',
  readSubmissions: 'submissions-tool.submission.read',
  runSubmissions: 'submissions-tool.submission.run',
  /** Sends corrected product files in place of those that failed. */
  mendProducts: 'submissions-tool.product.mend',
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
  [PERMISSIONS.mendProducts]: 'Correct product files that failed, and send them',
  [PERMISSIONS.manageSession]: 'Log the service in and out with the regulator',
  [PERMISSIONS.operate]: 'See and change the imports of every client; pause inserting; read the audit trail',
} as const satisfies Record<Permission, string>;

export interface Operation {
  method: 'get' | 'post' | 'put' | 'delete';
  /** Path with parameters in braces, as in OpenAPI. */
  path: string;
  /** Absent on public operations. */
  permission?: Permission;
}

function operation<Method extends Operation['method']>(
  method: Method,
  path: string,
  permission: keyof typeof PERMISSIONS,
) {
  return { method, path, permission: PERMISSIONS[permission] as Permission };
}

export const OPERATIONS = {
  postPackageImport: operation('post', '/regulator/package-import', 'importPackage'),
  getPackageImports: operation('get', '/regulator/package-imports', 'readImports'),
  getPackageImport: operation('get', '/regulator/package-imports/{id}', 'readImports'),
  getImportOutcomes: operation('get', '/regulator/package-imports/{id}/outcomes', 'readImports'),
  getImportProductsCsv: operation('get', '/regulator/package-imports/{id}/products.csv', 'readImports'),
  getImportProductsJsonLines: operation(
    'get',
    '/regulator/package-imports/{id}/products.jsonl',
    'readImports',
  ),
  getImportFilesCsv: operation('get', '/regulator/package-imports/{id}/files.csv', 'readImports'),
  getImportFilesJsonLines: operation('get', '/regulator/package-imports/{id}/files.jsonl', 'readImports'),
  postImportCancellation: operation(
    'post',
    '/regulator/package-imports/{id}/actions/cancel',
    'importPackage',
  ),
  postImportRetry: operation(
    'post',
    '/regulator/package-imports/{id}/actions/regulator-insert',
    'runSubmissions',
  ),
  getImportRetry: operation('get', '/regulator/package-imports/{id}/actions/regulator-insert', 'readImports'),
  getRepairPack: operation('get', '/regulator/package-imports/{id}/repair-pack', 'readImports'),
  getOriginalPackage: operation('get', '/regulator/package-imports/{id}/package', 'readImports'),
  getFailedFile: operation('get', '/regulator/package-imports/{id}/failed-files/{xml_file}', 'mendProducts'),
  getFailures: operation('get', '/regulator/failures', 'readSubmissions'),
  postFailuresAction: operation('post', '/regulator/failures/actions/{action}', 'runSubmissions'),
  getFailuresRun: operation('get', '/regulator/failures/run', 'readSubmissions'),
  postFailuresRunStop: operation('post', '/regulator/failures/run/actions/stop', 'runSubmissions'),
  getSubmissions: operation('get', '/regulator/submissions', 'readSubmissions'),
  getSubmission: operation('get', '/regulator/submissions/{id}', 'readSubmissions'),
  postSubmissionAction: operation('post', '/regulator/submissions/{id}/actions/{process}', 'runSubmissions'),
  getSubmissionXml: operation('get', '/regulator/submissions/{id}/xml', 'readSubmissions'),
  getProduct: operation('get', '/regulator/products/{product_id}', 'readSubmissions'),
  getDossier: operation('get', '/regulator/products/{product_id}/dossier', 'readSubmissions'),
  getDossierKey: { method: 'get' as const, path: '/regulator/dossier-key' },
  getStatistics: operation('get', '/regulator/statistics', 'readImports'),
  getStored: operation('get', '/regulator/statistics/stored', 'readImports'),
  getRegulatorSession: operation('get', '/regulator/session', 'manageSession'),
  postRegulatorSession: operation('post', '/regulator/session', 'manageSession'),
  postRegulatorSessionVerification: operation('post', '/regulator/session/verification', 'manageSession'),
  deleteRegulatorSession: operation('delete', '/regulator/session', 'manageSession'),
  getInserting: operation('get', '/regulator/inserting', 'operate'),
  postInsertingPause: operation('post', '/regulator/inserting/actions/pause', 'operate'),
  postInsertingResume: operation('post', '/regulator/inserting/actions/resume', 'operate'),
  getWebhook: operation('get', '/regulator/webhook', 'importPackage'),
  putWebhook: operation('put', '/regulator/webhook', 'importPackage'),
  postWebhookSecret: operation('post', '/regulator/webhook/actions/rotate-secret', 'importPackage'),
  postWebhookTest: operation('post', '/regulator/webhook/actions/test', 'importPackage'),
  deleteWebhook: operation('delete', '/regulator/webhook', 'importPackage'),
  getWebhookDeliveries: operation('get', '/regulator/webhook/deliveries', 'readImports'),
  postWebhookRedelivery: operation(
    'post',
    '/regulator/webhook/deliveries/{id}/actions/redeliver',
    'importPackage',
  ),
  getAuditEvents: operation('get', '/regulator/audit-events', 'operate'),
  getLiveness: { method: 'get' as const, path: '/health/live' },
} satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;

/** Operations that need a permission. */
export type ProtectedOperationId = {
  [Id in OperationId]: (typeof OPERATIONS)[Id] extends { permission: Permission } ? Id : never;
}[OperationId];

type Texts = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * The path of a request, with its query.
 *
 * @param params a value for each name in braces
 * @param query undefined values are left out
 */
export function addressOf(id: OperationId, params: Texts = {}, query: Texts = {}): string {
  const path = OPERATIONS[id].path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
