/** Every call with a session waits for its permit, and a 429 of any of them stops all. A person's login does not wait. */
import { describe, expect, it } from 'vitest';
import { RegulatorRateLimited } from '../../src/domain/client-errors.ts';
import { createPacedRegulator } from '../../src/regulator/paced-regulator.ts';
import type { Regulator } from '../../src/regulator/port.ts';

/** Makes one call of each kind. Returns what happened, in its order. */
async function happens(name: keyof Regulator, failure?: Error): Promise<string[]> {
  const happened: string[] = [];
  const regulator = new Proxy({} as Regulator, {
    get: (_, call: string) => async () => {
      happened.push(call);
      if (failure) throw failure;
    },
  });
  const paced = createPacedRegulator(regulator, {
    acquire: async () => void happened.push('permit'),
    pause: async (seconds) => void happened.push(`pause of ${seconds} s`),
  });
  await (paced[name] as () => Promise<unknown>)().catch((error: unknown) => {
    expect(error).toBe(failure);
  });
  return happened;
}

describe.each(['renew', 'openCase', 'sendAttachment', 'sendSection'] as const)('%s', (name) => {
  it('waits for its permit', async () => {
    expect(await happens(name)).toEqual(['permit', name]);
  });

  it('stops all calls for as long as the regulator asks', async () => {
    expect(await happens(name, new RegulatorRateLimited(7))).toEqual(['permit', name, 'pause of 7 s']);
    expect(await happens(name, new Error('another'))).toEqual(['permit', name]);
  });
});

it.each(['logIn', 'verify', 'logOut'] as const)('%s does not wait', async (name) => {
  expect(await happens(name)).toEqual([name]);
});
