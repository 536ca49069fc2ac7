/** `Emissions`: what was measured in the aerosol (package format §3). */
import { EMISSIONS, type EmissionSubstance, OTHER_EMISSIONS } from '../data/emissions.ts';
import { group, list, references, type XmlGroup } from '../xml/nodes.ts';
import type { ProductContext } from './context.ts';
import { productIdentification } from './identification.ts';
import { quantity } from './quantities.ts';

/** Most reports cover a part of the list: what the laboratory could measure. */
export function emissions(context: ProductContext): XmlGroup {
  const { random } = context;
  const measured = random.weighted<readonly EmissionSubstance[]>([
    [EMISSIONS, 25],
    [random.sample(EMISSIONS, random.int(4, 20)), 75],
  ]);
  const others = random.chance(0.3) ? random.sample(OTHER_EMISSIONS, random.int(1, 3)) : [];
  return list('Emissions', [
    ...measured.map((substance) => emission(context, substance)),
    ...others.map((substance) => emission(context, substance, substance.name)),
  ]);
}

function emission(context: ProductContext, substance: EmissionSubstance, nameOther?: string): XmlGroup {
  const { random, text, double, code, attach } = context;
  const { cas, iupac, unit, magnitude } = substance;
  return group('Emission', [
    cas !== undefined && random.chance(0.8) && text('CasNumber', cas),
    iupac !== undefined && random.chance(0.8) && text('IupacName', iupac),
    double('Quantity', random.chance(0.2) ? '0' : quantity(random, magnitude)),
    text('Unit', unit),
    references('MethodsFile', Array.from({ length: random.chance(0.8) ? 1 : 2 }, attach)),
    random.chance(0.05) && list('AdditionalProducts', [productIdentification(context)]),
    random.chance(0.1) &&
      text(
        'ProductCombination',
        random.pick(['Pod + coil 1.2 Ω', 'Tank 22 @ 15 W & PG/VG 50:50', 'Empfohlenes Gerät, 3,7 V']),
      ),
    code('Name', substance.code),
    nameOther !== undefined && text('NameOther', nameOther),
  ]);
}
