/**
 * `npm run bench [-- cost speed …]`: figures as ratios to a floor that is measured in the same run, in turns
 * with the service. The absolute numbers depend on the machine; the ratios and the counts depend on the
 * service.
 */
import { availableParallelism, loadavg } from 'node:os';
import { atEnd } from '../test/support/cleanup.ts';
import { runScript, say } from '../test/support/script.ts';
import { parseArguments } from './arguments.ts';
import { type Checkout, otherCheckout, thisCheckout } from './checkout.ts';
import { collectFigures, type Skipped } from './figure.ts';
import type { Measure, Prepared } from './measure.ts';
import { answer, busy, resumed } from './measures/answer.ts';
import { cost } from './measures/cost.ts';
import { extraction } from './measures/extraction.ts';
import { latency, speed, waiting } from './measures/speed.ts';
import { upload } from './measures/upload.ts';
import { reportOf } from './report.ts';
import { startService } from './service.ts';
import { CAN_MEASURE_CPU } from './usage.ts';

const MEASURES: readonly Measure[] = [
  cost,
  speed,
  waiting,
  latency,
  answer,
  busy,
  resumed,
  extraction,
  upload,
];

const { names, sizes, withAttachments, against } = parseArguments(process.argv.slice(2), MEASURES);

/** A checkout with its results. */
interface Subject {
  checkout: Checkout;
  collected: ReturnType<typeof collectFigures>;
}

/** After an interruption, no further measure starts during the shutdown. */
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true;
  });

await runScript(async () => {
  const subjects: Subject[] = [{ checkout: await thisCheckout(), collected: collectFigures() }];
  if (against !== null) {
    const checkout = await otherCheckout(against);
    atEnd(() => checkout.remove());
    subjects.push({ checkout, collected: collectFigures() });
  }
  const skipped: Skipped[] = CAN_MEASURE_CPU
    ? []
    : [{ name: 'CPU of each process', reason: 'this system does not report it in /proc' }];
  let failures = 0;
  for (const measure of MEASURES.filter(({ name }) => names.includes(name))) {
    if (isInterrupted) break;
    say(
      `${measure.name} … (load of the machine ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores)`,
    );
    // One failing measure does not discard the results of the others, which take hours.
    await runMeasure(measure, subjects).catch((error: Error) => {
      failures += 1;
      skipped.push({ name: measure.name, reason: error.message });
    });
  }
  const [ours, theirs] = subjects;
  say(reportOf(ours?.collected.figures() ?? [], theirs?.collected.figures() ?? null, skipped));
  return failures;
});

/** A new service for each checkout and measure: none starts with the data of another. */
async function runMeasure(measure: Measure, subjects: readonly Subject[]): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  atEnd(stop);
  try {
    const prepared: { subject: Subject; measured: Prepared }[] = [];
    for (const subject of subjects) {
      const service = await startService(subject.checkout, { ...measure, withAttachments });
      stops.push(() => service.stop());
      const measured = await measure.prepare(service, sizes);
      stops.push(async () => measured.close?.());
      prepared.push({ subject, measured });
    }
    for (let round = 1; round <= sizes.rounds; round += 1) {
      for (const { subject, measured } of prepared) {
        subject.collected.add(await measured.round());
        say(`  round ${round} of ${sizes.rounds}, ${subject.checkout.commit}`);
      }
    }
  } finally {
    await stop();
  }
}
