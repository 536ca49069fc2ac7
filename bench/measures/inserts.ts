/** From the answer to the last insert: what durable execution and the records cost over the six calls alone. */
import { randomUUID } from 'node:crypto';
import { INSERT_STEPS } from '../../src/domain/steps.ts';
import { logIn } from '../../src/processes/whole-service/whole-service.ts';
import { parseProduct } from '../../src/products/parse-product.ts';
import { createRegulatorClient } from '../../src/regulator/http-client.ts';
import { type Figure, seconds } from '../figure.ts';
import { unzipAndParse } from '../floor.ts';
import type { Service } from '../service.ts';

const PRODUCTS = 200;

export async function inserts(service: Service): Promise<Figure[]> {
  const file = await service.makePackage({ products: PRODUCTS });
  const ours = await seconds(async () => {
    const { data } = await service.imports.upload(file);
    const report = await service.idle(data.id);
    const inserted = report.progress.regulator_inserted;
    if (inserted !== PRODUCTS) throw new Error(`only ${inserted} of ${PRODUCTS} products were inserted`);
  });
  const others = await service.makePackage({ products: PRODUCTS });
  const floor = await callsAlone(service, others.path);
  // The regulator allows one session at a time: the floor's has ended that of the service.
  await logIn(service.config);
  const perProduct = (time: number) => (time / PRODUCTS) * 1000;
  return [
    {
      name: `whole import of ${PRODUCTS} products`,
      ours: perProduct(ours),
      floor: perProduct(floor),
      unit: 'ms per product',
      floorIs: 'the same calls to the regulator, as many at once, from one loop: nothing is recorded',
    },
  ];
}

async function callsAlone({ config }: Service, path: string): Promise<number> {
  const regulator = createRegulatorClient(config.regulator);
  const { loginId } = await regulator.logIn();
  const answer = await fetch(`${config.regulator.url}/control/verification-code`);
  const { token } = await regulator.verify(loginId, ((await answer.json()) as { code: string }).code);
  const files = await unzipAndParse(path);
  const insertOne = async (xml: string) => {
    const parsed = parseProduct(Buffer.from(xml));
    if (!parsed.ok) throw new Error(parsed.reason);
    const { productId, productTypeCode, submissionTypeCode, sections } = parsed.product;
    const open = { clientReference: randomUUID(), productId, productTypeCode, submissionTypeCode };
    const { caseId } = await regulator.openCase(token, open);
    for (const step of INSERT_STEPS)
      if (sections[step] !== null) await regulator.sendSection(token, caseId, step, sections[step]);
  };
  return seconds(async () => {
    const waiting = files.values();
    const worker = async () => {
      for (const xml of waiting) await insertOne(xml);
    };
    await Promise.all(Array.from({ length: config.regulator.concurrency }, worker));
  });
}
