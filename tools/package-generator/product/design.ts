/** `Design`: how the product is built and made (package format §3). */
import { BATTERIES, COILS, DEVICES } from '../data/brands.ts';
import type { Random } from '../random.ts';
import { group, reference, type XmlGroup, type XmlNode } from '../xml/nodes.ts';
import type { ProductContext } from './context.ts';
import { measure } from './quantities.ts';

const REFILL_CONTAINER = 7;

export function design(context: ProductContext): XmlGroup {
  const { random, attach, text, boolean, double, holdsLiquid, hasCoil, plan } = context;
  const refillable = [4, 5, 7, 8].includes(plan.productType);
  return group('Design', [
    text('Description', description(context)),
    random.chance(0.5) && text('IdentificationEcigDevice', `${random.pick(DEVICES)} ${random.digits(4)}`),
    random.chance(0.9) &&
      double('LiquidVolumeCapacity', measure(random, 0.5, plan.productType === REFILL_CONTAINER ? 10 : 2, 2)),
    holdsLiquid &&
      double('NicotineConcentration', random.pick(['0', '3', '6', '12', '16.5', '18', '20', '19.99', '0.0'])),
    ...power(context),
    hasCoil && random.chance(0.8) && boolean('AirflowAdjustable', random.chance(0.5)),
    hasCoil && random.chance(0.8) && boolean('WickChangeable', random.chance(0.5)),
    context.hasBattery && boolean('Microprocessor', random.chance(0.7)),
    hasCoil && text('CoilComposition', random.pick(COILS)),
    holdsLiquid && random.chance(0.5) && reference('NicotineDoseUptakeFile', attach()),
    reference('ProductionFile', attach()),
    boolean('ProductionConformity', true),
    boolean('QualitySafety', random.chance(0.95)),
    refillable && random.chance(0.7) && reference('OpeningRefillFile', attach()),
    boolean('ChildTamperProof', random.chance(0.95)),
    holdsLiquid && boolean('HighPurity', true),
    boolean('NonRisk', random.chance(0.95)),
    random.chance(0.7) && boolean('ConsistentDosing', random.chance(0.9)),
    random.chance(0.4) && reference('ConsistentDosingMethodsFile', attach()),
    random.chance(0.7) && reference('LeafletFile', attach()),
    hasCoil && random.chance(0.8) && double('CoilResistance', measure(random, 0.15, 1.8, 2)),
  ]);
}

/** Battery and what can be adjusted; nothing for a container or a part without one. */
function power({ random, hasBattery, text, double, code }: ProductContext): (XmlNode | false)[] {
  if (!hasBattery) return [];
  const adjustable = random.weighted([
    [1, 2],
    [2, 1],
    [3, 3],
    [4, 6],
  ]);
  const voltage = adjustable === 1 || adjustable === 2;
  const wattage = adjustable === 1 || adjustable === 3;
  return [
    text('BatteryType', random.pick(BATTERIES)),
    double('BatteryCapacity', measure(random, 280, 5000, 0)),
    code('VoltageWattageAdjustable', adjustable),
    !voltage && double('Voltage', measure(random, 3, 4.2, 1)),
    voltage && double('VoltageLowerRange', measure(random, 2.8, 3.3, 1)),
    voltage && double('VoltageUpperRange', measure(random, 3.8, 4.8, 1)),
    !wattage && double('Wattage', measure(random, 6, 15, 1)),
    wattage && double('WattageLowerRange', measure(random, 5, 10, 0)),
    wattage && double('WattageUpperRange', measure(random, 15, 80, 0)),
  ];
}

const BODIES: Readonly<Record<number, readonly string[]>> = {
  1: [
    'Disposable device with built-in battery and a closed reservoir',
    'Einweg-E-Zigarette, zugautomatisch, nicht nachfüllbar',
  ],
  2: [
    'Rechargeable pen with pre-filled cartridge',
    'Stylo rechargeable à cartouche préremplie, embout démontable',
  ],
  3: ['Rechargeable battery unit without liquid', 'Akkuträger mit OLED-Anzeige, ohne Flüssigkeit'],
  4: ['Refillable tank system sold with one bottle of liquid', 'Συσκευή επαναπλήρωσης με μία φιάλη υγρού'],
  5: ['Refillable device, sold empty', 'Uzpildāma ierīce bez šķidruma'],
  6: [
    'Starter kit: two devices & four refill containers',
    'Zestaw startowy (2 urządzenia, 3 pojemniki zapasowe)',
  ],
  7: ['Refill container with child-resistant cap and dropper ≤ 2 mm', 'Шише за пълнене с капкомер, 10 ml'],
  8: ['Replacement tank of borosilicate glass', 'Náhradní skleněná nádržka, průměr 22 mm'],
  9: ['Device & cartridge system of another kind', 'Muu toode <ks. liite>'],
};

const DETAILS = [
  'Inhaling opens a pressure switch; the current heats the coil to < 250 °C.',
  'Filling: unscrew the cap, press the nozzle into the opening & turn by 90°.',
  'Materials in contact with the liquid: PCTG, stainless steel 304, silicone (food grade).',
  'Schutz gegen Überhitzung, Kurzschluss und Tiefentladung.',
  'Ļoti zema pretestība: 0,15–0,3 Ω; "short" coils are detected.',
];

function description({ random, plan }: ProductContext): string {
  const body = pickBody(random, plan.productType);
  const details = random.sample(DETAILS, random.int(0, DETAILS.length));
  return [`${body}.`, ...details].join(random.chance(0.3) ? '\n' : ' ');
}

function pickBody(random: Random, productType: number): string {
  return random.pick(BODIES[productType] ?? ['E-cigarette product']);
}
