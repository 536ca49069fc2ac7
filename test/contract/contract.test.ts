/** The contract names exactly the operations that the gateway serves; reasons as texts. */
import { expect, it } from 'vitest';
import { addressOf, OPERATIONS, type Operation } from '../../src/contract/operations.ts';
import { fileReasonText, plainReason, reasonsText, reasonText } from '../../src/contract/reasons.ts';
import * as API from '../../src/contract/schemas/index.ts';
import { idempotencyKey } from '../../src/contract/schemas/upload.ts';
import { apiDescription } from '../../tools/api-description.ts';

interface Described {
  paths: Record<string, Record<string, { operationId: string; 'x-required-permission'?: string }>>;
}

it('the gateway serves exactly the operations of the contract', () => {
  const { paths } = apiDescription('1.2.3') as Described;
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, ...operation }]) => [
      operationId,
      { method, path, permission: operation['x-required-permission'] },
    ]),
  );
  const named = Object.entries<Operation>(OPERATIONS).map(([id, { method, path, permission }]) => [
    id,
    { method, path, permission },
  ]);
  expect(Object.fromEntries(served)).toEqual(Object.fromEntries(named));
});

it('each operation is described under its id', () => {
  const ids = Object.keys(OPERATIONS).map((id) => [id, { operationId: id }]);
  expect({ ...API }).toMatchObject(Object.fromEntries(ids));
});

it('an address escapes its parameters, and leaves out undefined query parameters', () => {
  expect(addressOf('getProduct', { product_id: 'a/b c' }, { before: undefined })).toBe(
    '/regulator/products/a%2Fb%20c',
  );
  expect(addressOf('getImportRetry', { id: 7 }, { after: 0, limit: 200 })).toBe(
    '/regulator/package-imports/7/actions/regulator-insert?after=0&limit=200',
  );
});

const PLACED = { path: 'Product/Design', line: 7, check: null, text: 'Design is empty' };

it('say the problem first, then its place and its check', () => {
  expect(reasonText(plainReason('not base64'))).toBe('not base64');
  expect(reasonText(PLACED)).toBe('Design is empty (Product/Design, line 7)');
  expect(reasonText({ ...PLACED, path: null })).toBe('Design is empty (line 7)');
  expect(reasonText({ ...PLACED, line: null, check: 'cas_check_digit' })).toBe(
    'Design is empty (Product/Design, cas_check_digit)',
  );
});

it('are one text together, of a file with the product ID if it is known', () => {
  const reasons = [PLACED, plainReason('… and 2 more')];
  expect(reasonsText(reasons)).toBe('Design is empty (Product/Design, line 7); … and 2 more');
  expect(fileReasonText(null, reasons)).toBe(reasonsText(reasons));
  expect(fileReasonText('99962-26-00001', [plainReason('too large')])).toBe('99962-26-00001: too large');
});

it.each(['', '""', 'a b', 'ä', 'k'.repeat(256)])(
  '%j is no Idempotency-Key, also in the description',
  (key) => {
    expect(idempotencyKey.safeParse(key).success).toBe(false);
  },
);
