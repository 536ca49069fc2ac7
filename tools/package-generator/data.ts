/**
 * Invented companies and texts, and real substances with their registry numbers. The texts have many scripts
 * and the characters that XML escapes.
 */

/** The rows of a table, one a line, with `|` between the cells. An empty cell is an empty string. */
function table<Column extends string>(columns: readonly Column[], text: string): Record<Column, string>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])) as Record<
        Column,
        string
      >;
    });
}

export type Company = Record<'Name' | 'Address' | 'Country' | 'PhoneNumber' | 'Email', string>;

/** Mail addresses end in `.example`, a domain that nobody can own. */
export const COMPANIES: readonly Company[] = table(
  ['Name', 'Address', 'Country', 'PhoneNumber', 'Email'],
  `
Nebelwerk GmbH & Co. KG  | Glashütter Straße 17, 01277 Dresden  | DE      | +49 351 5550147      | eu-ceg@nebelwerk.example
Vítr Liquid s.r.o.       | Vítězná 8, 284 03 Kutná Hora         | CZ      | +420 327 555 016     | info@vitr-liquid.example
Αύρα Ατμού Α.Ε.          | Οδός Ερμού 41, 105 63 Αθήνα          | GR      | +30 210 5550163      | info@avra-atmou.example
Мъгла ЕООД               | ул. „Шипка“ 6, 1504 София            | BG      | +359 2 555 0126      | office@magla.example
Mist "Island" Trading    | Triq ir-Repubblika 88, Valletta      | MT      | +356 2555 0127       | office@mist-island.example
Yuanshan Technology Co.  | Xinqiao Park, Bao’an, Shenzhen       | CN      | +86 755 5550 1736    | eu@yuanshan.example
Arve Instruments SA      | Chemin des Pâquis 2, 1201 Genève     | CH      | +41 (22) 555 01 33   | affaires@arve.example
`,
);

export const MARKETS =
  'AT BE BG CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');
export const BRANDS =
  `Nordlys|Nebula & Sons|Café Vapeur|Żubr Cloud|Αύρα|Мъгла|Søstjerne|L'Étoile|"Quote" Pods|Cirrus<3`.split(
    '|',
  );
export const FLAVOURS =
  'Polar Mint|Crème brûlée|Φράουλα|Череша|Őszibarack|Fresh & Cool|Double <Espresso>|Ice™|Unflavoured'.split(
    '|',
  );
export const DEVICES = 'Pod|Stick|Tank 22|Mod 80W|Bar 600|Duo'.split('|');
export const COLOURS = 'Gun Metal|Rosé|Μπλε|Синьо|Limited "Ed." 2'.split('|');
export const COILS = 'Ni80 mesh, 0.2 mm|FeCrAl (Kanthal® A1)|Nickel–chromium, organic cotton wick'.split('|');
export const BATTERIES = 'Lithium-ion, built in|LiFePO₄ (protected)|1 × 18650 (not included)'.split('|');
export const COMMENTS = [
  'Nur über den Fachhandel; Größenänderung der Verpackung siehe Anlage.',
  'Πωλείται μόνο σε εξειδικευμένα καταστήματα.',
  'Supersedes our letter of 3 May (ref. <A&B/17>).\nLeaflet revised in all languages.',
  'Test batch 🍓 for internal use; "not for sale".',
  '',
];
/** Descriptions by product type, in the order of the codes. */
export const BODIES = [
  'Disposable device with built-in battery and a closed reservoir',
  'Stylo rechargeable à cartouche préremplie, embout démontable',
  'Akkuträger mit OLED-Anzeige, ohne Flüssigkeit',
  'Συσκευή επαναπλήρωσης με μία φιάλη υγρού',
  'Uzpildāma ierīce bez šķidruma',
  'Starter kit: two devices & four refill containers',
  'Шише за пълнене с капкомер ≤ 2 mm, 10 ml',
  'Náhradní skleněná nádržka, průměr 22 mm',
  'Muu toode <ks. liite>',
];
export const DETAILS = [
  'Inhaling opens a pressure switch; the current heats the coil to < 250 °C.',
  'Filling: unscrew the cap, press the nozzle into the opening & turn by 90°.',
  'Ļoti zema pretestība: 0,15–0,3 Ω; "short" coils are detected.',
];

/** Substances of e-liquids. `magnitude`: power of ten of the usual quantity in mg per unit. */
export const SUBSTANCES = table(
  ['Name', 'CasNumber', 'EcNumber', 'FemaNumber', 'AdditiveNumber', 'FlNumber', 'functions', 'magnitude'],
  `
Propane-1,2-diol                   | 57-55-6    | 200-338-0 | 2940 | E1520 |        | 4 13 17 20 | 3
Propane-1,2,3-triol (glycerol)     | 56-81-5    | 200-289-5 | 2525 | E422  |        | 4 13 17 20 | 3
3-[(2S)-1-Methylpyrrolidin-2-yl]pyridine (nicotine) | 54-11-5 | 200-193-3 | | |   | 1          | 2
Vanillin                           | 121-33-5   | 204-465-2 | 3107 |       | 05.018 | 12         | 1
Ethyl acetate                      | 141-78-6   | 205-500-4 | 2414 |       | 09.001 | 12         | 1
(R)-p-Mentha-1,8-diene             | 5989-27-5  | 227-813-5 | 2633 |       | 01.045 | 12         | 1
γ-Decalactone                      | 706-14-9   | 211-892-8 | 2360 |       | 10.017 | 12         | 1
L-Menthol                          | 2216-51-5  | 218-690-9 | 2665 |       | 02.015 | 12         | 0
Benzoic acid                       | 65-85-0    | 200-618-2 | 2131 | E210  |        | 14         | 1
Sucralose                          | 56038-13-2 | 259-952-2 |      | E955  |        | 12         | -1
Water                              | 7732-18-5  | 231-791-2 |      |       |        | 4 16 17 25 | 0
`,
);

/**
 * Hazard categories under Regulation (EC) No 1272/2008, by element name without the prefix `Clp`, in the order
 * of the schema.
 */
export const HAZARDS: Readonly<Record<string, string>> = {
  AcuteToxOral: '1 2 3 4',
  AcuteToxDermal: '1 2 3 4',
  AcuteToxInhalation: '1 2 3 4',
  SkinCorrosiveIrritant: '1A 1B 1C 2',
  EyeDamageIrritation: '1 2',
  RespiratorySensitisation: '1',
  SkinSensitisation: '1 1A 1B',
  MutagenGenotox: '1A 1B 2',
  Carcinogenicity: '1A 1B 2',
  ReproductiveTox: '1A 1B 2 lact 1A_lact 1B_lact 2_lact',
  Stot: '1 2 3',
  AspirationTox: '1',
};

/** CAS number and name of the emissions with the codes 1 to 21. Code 22 is every other substance. */
export const EMISSIONS = (
  "54-11-5 nicotine|107-21-1 ethane-1,2-diol|111-46-6 2,2'-oxydi(ethan-1-ol)|50-00-0 methanal|75-07-0 ethanal|" +
  '107-02-8 prop-2-enal|123-73-9 (E)-but-2-enal|80508-23-2 3-(1-nitrosopyrrolidin-2-yl)pyridine|' +
  '64091-91-4 4-[methyl(nitroso)amino]-1-(pyridin-3-yl)butan-1-one|7440-43-9 cadmium|7440-47-3 chromium|' +
  '7440-50-8 copper|7439-92-1 lead|7440-02-0 nickel|7440-38-2 arsenic|108-88-3 methylbenzene|71-43-2 benzene|' +
  '106-99-0 buta-1,3-diene|78-79-5 2-methylbuta-1,3-diene|431-03-8 butane-2,3-dione|600-14-6 pentane-2,3-dione'
).split('|');
