/** Examples of health, errors of all operations, the regulator session, the audit trail and inserting. */
import type { Config } from '../../../../src/config/index.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  IMPORTS,
  packageForm,
  productOf,
  type Recording,
  SESSION,
  SUBMISSIONS,
  UPLOAD,
} from './recording.ts';

export async function recordHealth({ stack, ask }: Recording): Promise<void> {
  await ask('GET', '/health/live', { token: null });
  await ask('POST', UPLOAD, { form: await packageForm(productOf(1)) });
  await stack.startWorkers();
  await eventually(async () => {
    const answer = await fetch(`${stack.healthUrl}/health/ready`);
    return !(await answer.text()).includes('failed');
  });
}

export async function recordCommonErrors({ stack, tokens, ask, withGateway }: Recording): Promise<void> {
  const everywhere = { everywhere: true };
  await ask('GET', SESSION, { token: null, ...everywhere });
  await ask('GET', SESSION, { token: 'none', ...everywhere });
  await ask('GET', SESSION, { token: tokens.none, ...everywhere });
  await ask('GET', `${SESSION}?verbose=true`, everywhere);
  await ask('POST', `${SESSION}/verification`, { json: { code: 'x'.repeat(100_000) }, ...everywhere });
  await ask('GET', `${SESSION}?${'x'.repeat(20_000)}`, everywhere);
  await stack.sql('alter table regulator_session rename to regulator_session_away');
  await ask('GET', SESSION, everywhere);
  await stack.sql('alter table regulator_session_away rename to regulator_session');
  const rate = ({ quotas }: Config) => ({ quotas: { ...quotas, requestsPerMinute: 3 } });
  await withGateway(rate, async (gatewayUrl) => {
    const headers = { authorization: `Bearer ${tokens.all}` };
    await eventually(async () => (await fetch(gatewayUrl + SESSION, { headers })).status === 429);
    await ask('GET', SESSION, { gatewayUrl, ...everywhere });
  });
}

export async function recordSession({ stack, ask }: Recording): Promise<void> {
  const { behaviour, state } = stack.simulator.simulation;
  await ask('GET', SESSION);
  behaviour.unavailable = true;
  await ask('DELETE', SESSION);
  behaviour.unavailable = false;
  await ask('DELETE', SESSION);
  await ask('POST', UPLOAD, { form: await packageForm(productOf(1)) });
  await ask('POST', `${SUBMISSIONS}/1/actions/regulator-insert`);
  await ask('POST', `${IMPORTS}/1/actions/regulator-insert`);
  await ask('POST', '/regulator/failures/actions/regulator-insert');
  await ask('POST', SESSION);
  await ask('POST', `${SESSION}/verification`, { json: { code: '' } });
  await ask('POST', `${SESSION}/verification`, { json: { code: 'wrong' } });
  behaviour.unavailable = true;
  await ask('POST', `${SESSION}/verification`, { json: { code: '123456' } });
  await ask('POST', SESSION);
  behaviour.unavailable = false;
  await ask('POST', SESSION);
  await ask('POST', `${SESSION}/verification`, { json: { code: state.pendingCode } });
  await ask('GET', '/regulator/audit-events?limit=1');
  await ask('GET', '/regulator/audit-events?limit=0');
}

export async function recordInserting({ ask }: Recording): Promise<void> {
  const path = '/regulator/inserting';
  await ask('GET', path);
  await ask('POST', `${path}/actions/pause`, { json: {} });
  await ask('POST', `${path}/actions/pause`, { json: { reason: 'maintenance at the regulator' } });
  await ask('POST', `${path}/actions/resume`);
}
