/**
 * `npm run bench [-- reading upload …]`: figures as ratios to a floor that is measured in the same run, in turns with
 * ours. The absolute numbers say something about the machine; the ratios say something about us.
 */
import Table from 'cli-table3';
import { type Figure, ratioOf } from './figure.ts';
import { answer } from './measures/answer.ts';
import { inserts } from './measures/inserts.ts';
import { reading } from './measures/reading.ts';
import { upload } from './measures/upload.ts';
import { type Service, startService } from './service.ts';

const MEASURES: Readonly<Record<string, (service: Service) => Promise<Figure[]>>> = {
  reading,
  upload,
  answer,
  inserts,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in MEASURES));
if (unknown.length > 0) {
  process.stderr.write(
    `No such measure: ${unknown.join(', ')}. There are ${Object.keys(MEASURES).join(', ')}.\n`,
  );
  process.exit(2);
}

const service = await startService();
const figures: Figure[] = [];
try {
  for (const name of names.length > 0 ? names : Object.keys(MEASURES)) {
    process.stdout.write(`${name} …\n`);
    figures.push(...((await MEASURES[name]?.(service)) ?? []));
  }
} finally {
  await service.stop();
}

const table = new Table({
  head: ['Measure', 'Ours', 'Floor', 'Ratio', 'The floor'],
  style: { head: [], border: [] },
  colAligns: ['left', 'right', 'right', 'right', 'left'],
});
for (const figure of figures) {
  const { name, ours, floor, unit, floorIs } = figure;
  table.push([
    name,
    `${ours.toFixed(2)} ${unit}`,
    `${floor.toFixed(2)} ${unit}`,
    ratioOf(figure).toFixed(1),
    floorIs,
  ]);
}
process.stdout.write(`${table}\n`);
