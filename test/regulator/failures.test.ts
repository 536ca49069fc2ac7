/** Whether a call that the regulator refuses can be tried again, by its status (docs/regulator-api.md, "Errors"). */
import { expect, it } from 'vitest';
import {
  RegulatorRateLimited,
  RegulatorSessionRequired,
  RegulatorUnavailable,
} from '../../src/domain/client-errors.ts';
import type { DomainError } from '../../src/domain/errors.ts';
import { createRegulatorClient } from '../../src/regulator/http-client.ts';
import { RegulatorRejection } from '../../src/regulator/port.ts';

it.each([
  [400, RegulatorRejection, true],
  [404, RegulatorRejection, true],
  [409, RegulatorRejection, true],
  [422, RegulatorRejection, true],
  [401, RegulatorSessionRequired, false],
  [429, RegulatorRateLimited, false],
  [408, RegulatorUnavailable, false],
  [500, RegulatorUnavailable, false],
  [503, RegulatorUnavailable, false],
])('%i', async (status, type, permanent) => {
  const client = createRegulatorClient({
    url: 'https://regulator.example',
    username: 'u',
    password: 'p',
    send: async () => Response.json({ error: 'no' }, { status }),
  });
  const error = await client.sendSection('token', 'CASE-1', 'design', {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(type);
  expect((error as DomainError).permanent).toBe(permanent);
});
