/** Every operation of the API: its path, and the permission that it needs. Its schemas are in `schemas/`. */
import { PERMISSIONS, type Permission } from './permissions.ts';

export interface Operation {
  method: 'get' | 'post' | 'put' | 'delete';
  /** Path with parameters in braces, as in OpenAPI. */
  path: string;
  /** Absent on public operations. */
  permission?: Permission;
}

export const OPERATIONS = {
  postPackageImport: {
    method: 'post',
    path: '/regulator/package-import',
    permission: PERMISSIONS.importPackage,
  },
  getPackageImports: {
    method: 'get',
    path: '/regulator/package-imports',
    permission: PERMISSIONS.readImports,
  },
  getPackageImport: {
    method: 'get',
    path: '/regulator/package-imports/{id}',
    permission: PERMISSIONS.readImports,
  },
  getImportProductsCsv: {
    method: 'get',
    path: '/regulator/package-imports/{id}/products.csv',
    permission: PERMISSIONS.readImports,
  },
  getImportProductsJsonLines: {
    method: 'get',
    path: '/regulator/package-imports/{id}/products.jsonl',
    permission: PERMISSIONS.readImports,
  },
  getImportFilesCsv: {
    method: 'get',
    path: '/regulator/package-imports/{id}/files.csv',
    permission: PERMISSIONS.readImports,
  },
  getImportFilesJsonLines: {
    method: 'get',
    path: '/regulator/package-imports/{id}/files.jsonl',
    permission: PERMISSIONS.readImports,
  },
  postImportCancellation: {
    method: 'post',
    path: '/regulator/package-imports/{id}/actions/cancel',
    permission: PERMISSIONS.importPackage,
  },
  postImportRetry: {
    method: 'post',
    path: '/regulator/package-imports/{id}/actions/regulator-insert',
    permission: PERMISSIONS.runSubmissions,
  },
  getImportRetry: {
    method: 'get',
    path: '/regulator/package-imports/{id}/actions/regulator-insert',
    permission: PERMISSIONS.readImports,
  },
  getRepairPack: {
    method: 'get',
    path: '/regulator/package-imports/{id}/repair-pack',
    permission: PERMISSIONS.readImports,
  },
  getSubmissions: {
    method: 'get',
    path: '/regulator/submissions',
    permission: PERMISSIONS.readSubmissions,
  },
  getSubmission: {
    method: 'get',
    path: '/regulator/submissions/{id}',
    permission: PERMISSIONS.readSubmissions,
  },
  postSubmissionAction: {
    method: 'post',
    path: '/regulator/submissions/{id}/actions/{process}',
    permission: PERMISSIONS.runSubmissions,
  },
  getSubmissionXml: {
    method: 'get',
    path: '/regulator/submissions/{id}/xml',
    permission: PERMISSIONS.readSubmissions,
  },
  getProduct: {
    method: 'get',
    path: '/regulator/products/{product_id}',
    permission: PERMISSIONS.readSubmissions,
  },
  getStatistics: {
    method: 'get',
    path: '/regulator/statistics',
    permission: PERMISSIONS.readImports,
  },
  getStored: {
    method: 'get',
    path: '/regulator/statistics/stored',
    permission: PERMISSIONS.readImports,
  },
  getRegulatorSession: {
    method: 'get',
    path: '/regulator/session',
    permission: PERMISSIONS.manageSession,
  },
  postRegulatorSession: {
    method: 'post',
    path: '/regulator/session',
    permission: PERMISSIONS.manageSession,
  },
  postRegulatorSessionVerification: {
    method: 'post',
    path: '/regulator/session/verification',
    permission: PERMISSIONS.manageSession,
  },
  deleteRegulatorSession: {
    method: 'delete',
    path: '/regulator/session',
    permission: PERMISSIONS.manageSession,
  },
  getInserting: {
    method: 'get',
    path: '/regulator/inserting',
    permission: PERMISSIONS.operate,
  },
  postInsertingPause: {
    method: 'post',
    path: '/regulator/inserting/actions/pause',
    permission: PERMISSIONS.operate,
  },
  postInsertingResume: {
    method: 'post',
    path: '/regulator/inserting/actions/resume',
    permission: PERMISSIONS.operate,
  },
  getWebhook: {
    method: 'get',
    path: '/regulator/webhook',
    permission: PERMISSIONS.importPackage,
  },
  putWebhook: {
    method: 'put',
    path: '/regulator/webhook',
    permission: PERMISSIONS.importPackage,
  },
  postWebhookSecret: {
    method: 'post',
    path: '/regulator/webhook/actions/rotate-secret',
    permission: PERMISSIONS.importPackage,
  },
  deleteWebhook: {
    method: 'delete',
    path: '/regulator/webhook',
    permission: PERMISSIONS.importPackage,
  },
  getWebhookDeliveries: {
    method: 'get',
    path: '/regulator/package-imports/{id}/webhook-deliveries',
    permission: PERMISSIONS.readImports,
  },
  postWebhookRedelivery: {
    method: 'post',
    path: '/regulator/package-imports/{id}/webhook-deliveries/{delivery_id}/actions/redeliver',
    permission: PERMISSIONS.importPackage,
  },
  getAuditEvents: {
    method: 'get',
    path: '/regulator/audit-events',
    permission: PERMISSIONS.operate,
  },
  getLiveness: { method: 'get', path: '/health/live' },
} as const satisfies Record<string, Operation>;

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
