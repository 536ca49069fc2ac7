/** Measures how long a client waits for its answer while inserts that waited for the end of a pause resume. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Measure, uploadProducts } from '../measure.ts';
import type { Service } from '../service.ts';

const POLL_MS = 500;

export const resumed: Measure = {
  name: 'resumed',
  async prepare(service, { products, background }) {
    const idle = async () => {
      const { importId, answeredAfter } = await uploadProducts(service, products);
      await service.ended(importId);
      return answeredAfter;
    };
    await idle();
    return {
      async round() {
        const floor = await idle();
        await inserting(service, 'pause', { reason: 'bench' });
        const waiting = await uploadProducts(service, background);
        await begun(service, waiting.importId, background);
        await inserting(service, 'resume');
        const resumedAt = performance.now();
        const { importId, answeredAfter } = await uploadProducts(service, products);
        if ((await service.inserted(waiting.importId)) >= background)
          throw new Error('The resumed inserts ended before the answer. Use a greater --background.');
        await service.ended(waiting.importId);
        const rate = (background * 1000) / (performance.now() - resumedAt);
        await service.ended(importId);
        return [
          {
            name: `answer for ${products} products while ${background} resume`,
            unit: 's',
            value: answeredAfter,
            floor,
            floorIs: 'the same on the idle service',
            target: { of: 'ratio', atMost: 2 },
          },
          {
            name: `products per second that resume, of ${background}`,
            unit: '/s',
            value: rate,
            floor: null,
            floorIs: null,
          },
        ];
      },
      close: async () => {},
    };
  },
};

async function inserting(service: Service, action: 'pause' | 'resume', body?: object): Promise<void> {
  const response = await fetch(`${service.gatewayUrl}/regulator/inserting/actions/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`The service answered ${response.status} to ${action}`);
}

/** Waits until every insert of an import has begun its first step, which waits. */
async function begun(service: Service, importId: number, products: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from submission where zip_import_id = ${importId} and current_step is not null
    `.execute(service.database.kysely);
    if (rows[0]?.n === products) return;
    await sleep(POLL_MS);
  }
}
