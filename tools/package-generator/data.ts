/**
 * Invented companies, brands and texts, and real substances with their registry numbers. The texts have many
 * scripts and the characters that XML escapes.
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
Brume & Fils S.A.S.      | 12 bis, rue de l'Étoile, 69002 Lyon  | FR      | +33 4 72 55 01 98    | regl@brume-fils.example
Vítr Liquid s.r.o.       | Vítězná 8, 284 03 Kutná Hora         | CZ      | +420 327 555 016     | info@vitr-liquid.example
Αύρα Ατμού Α.Ε.          | Οδός Ερμού 41, 105 63 Αθήνα          | GR      | +30 210 5550163      | info@avra-atmou.example
Мъгла ЕООД               | ул. „Шипка“ 6, 1504 София            | BG      | +359 2 555 0126      | office@magla.example
Ködfüst Kft.             | Kálvin tér 5., 1085 Budapest         | HU      | +36 1 555 0179       | hatosag@kodfust.example
Ånga & Söner AB          | Götgatan 66, 118 30 Stockholm        | SE      | +46 8 555 01 26      | anmalan@anga.example
Mist "Island" Trading    | Triq ir-Repubblika 88, Valletta      | MT      | +356 2555 0127       | office@mist-island.example
Yuanshan Technology Co.  | Xinqiao Park, Bao’an, Shenzhen       | CN      | +86 755 5550 1736    | eu@yuanshan.example
Arve Instruments SA      | Chemin des Pâquis 2, 1201 Genève     | CH      | +41 (22) 555 01 33   | affaires@arve.example
`,
);

export const BRANDS = (
  'Nordlys|Nebula & Sons|Café Vapeur|Żubr Cloud|Třpyt|Árnyék|Αύρα|Мъгла|Kõrgus|Šilas|Søstjerne|Über-Dampf|' +
  `Ñandú|L'Étoile|"Quote" Pods|Cirrus<3|Zero°|Mistral`
).split('|');
export const FLAVOURS = (
  'Polar Mint|Blueberry|Crème brûlée|Açaí|Jalapeño Mango|Waldmeister|Φράουλα|Череша|Śliwka|Őszibarack|' +
  'Fresh & Cool|Double <Espresso>|Ice™|50/50|Grapefruit > Lime|Unflavoured'
).split('|');
export const DEVICES = 'Pod|Stick|Tank 22|Tank 26|Mini|Mod 80W|Kit|Slim|Bar 600|Caps|Duo|Pro'.split('|');
export const COLOURS = 'Black|Gun Metal|Rosé|Kék|Μπλε|Синьо|Limited "Ed." 2'.split('|');
export const COILS =
  'Ni80 mesh, 0.2 mm|FeCrAl (Kanthal® A1)|SS316L|Nickel–chromium, organic cotton wick'.split('|');
export const BATTERIES = 'Lithium-ion, built in|LiFePO₄ (protected)|1 × 18650 (not included)|2 × 21700'.split(
  '|',
);
export const CLASSIFICATIONS = 'Not classified|Acute Tox. 3 (H301 & H311), nicotine < 1.67 %'.split('|');
export const MARKETS =
  'AT BE BG CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

export const NATIONAL_COMMENTS = [
  'Nur über den Fachhandel; Größenänderung der Verpackung siehe Anlage.',
  "Vente réservée aux boutiques spécialisées ; notice d'emploi jointe & traduite.",
  'Πωλείται μόνο σε εξειδικευμένα καταστήματα.',
  'Продава се само в специализирани магазини.',
  'Sold by registered retailers ("Leaflet EN/GA enclosed").',
];
export const GENERAL_COMMENTS = [
  'First notification.',
  'Änderung der Verpackungsgröße, Rezeptur unverändert.',
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
  'Materials in contact with the liquid: PCTG, stainless steel 304, silicone (food grade).',
  'Schutz gegen Überhitzung, Kurzschluss und Tiefentladung.',
  'Ļoti zema pretestība: 0,15–0,3 Ω; "short" coils are detected.',
];

/**
 * Substances of e-liquids by role. `clp`: hazard categories under Regulation (EC) No 1272/2008, by element name without
 * the prefix `Clp`. `additive` is a food additive number, `fl` a number of the Union list of flavourings.
 */
export const SUBSTANCES = table(
  ['role', 'name', 'cas', 'ec', 'fema', 'additive', 'fl', 'clp'],
  `
carrier   | Propane-1,2-diol                | 57-55-6    | 200-338-0 | 2940 | E1520    |        |
carrier   | Propane-1,2,3-triol (glycerol)  | 56-81-5    | 200-289-5 | 2525 | E422     |        |
nicotine  | 3-[(2S)-1-Methylpyrrolidin-2-yl]pyridine (nicotine) | 54-11-5 | 200-193-3 | | | | AcuteToxOral=2 AcuteToxDermal=2 AcuteToxInhalation=2
nicotine  | Nicotine salicylate             | 29790-52-1 | 249-852-7 |      |          |        | AcuteToxOral=2 AcuteToxDermal=2
flavour   | Vanillin                        | 121-33-5   | 204-465-2 | 3107 |          | 05.018 | EyeDamageIrritation=2
flavour   | Ethyl maltol                    | 4940-11-8  | 225-582-5 | 3487 |          | 07.047 | AcuteToxOral=4
flavour   | Ethyl butyrate                  | 105-54-4   | 203-306-4 | 2427 |          | 09.039 |
flavour   | Ethyl acetate                   | 141-78-6   | 205-500-4 | 2414 |          | 09.001 | EyeDamageIrritation=2 Stot=3
flavour   | cis-Hex-3-en-1-ol               | 928-96-1   | 213-192-8 | 2563 |          | 02.056 |
flavour   | (R)-p-Mentha-1,8-diene          | 5989-27-5  | 227-813-5 | 2633 |          | 01.045 | SkinCorrosiveIrritant=2 SkinSensitisation=1 AspirationTox=1
flavour   | Benzaldehyde                    | 100-52-7   | 202-860-4 | 2127 |          | 05.013 | AcuteToxOral=4 AcuteToxInhalation=4 ReproductiveTox=1B
flavour   | γ-Decalactone                   | 706-14-9   | 211-892-8 | 2360 |          | 10.017 |
flavour   | Cinnamaldehyde                  | 104-55-2   | 203-213-9 | 2286 |          | 05.014 | AcuteToxDermal=4 SkinSensitisation=1A
cooling   | L-Menthol                       | 2216-51-5  | 218-690-9 | 2665 |          | 02.015 | SkinCorrosiveIrritant=2 EyeDamageIrritation=2
cooling   | 2-Isopropyl-N,2,3-trimethylbutyramide | 51115-67-4 | 256-974-4 | 3804 |    | 16.053 |
acid      | Benzoic acid                    | 65-85-0    | 200-618-2 | 2131 | E210     |        | EyeDamageIrritation=1 Stot=1
acid      | Lactic acid                     | 50-21-5    | 200-018-0 | 2611 | E270     |        | SkinCorrosiveIrritant=1C
sweetener | Sucralose                       | 56038-13-2 | 259-952-2 |      | E955     |        |
other     | Water                           | 7732-18-5  | 231-791-2 |      |          |        |
other     | Ethanol                         | 64-17-5    | 200-578-6 | 2419 | E1510    |        | EyeDamageIrritation=2
`,
);

/** Categories that no substance above has; a few ingredients get them. In the order of the schema, like all categories here. */
export const RARE_CATEGORIES = [
  'RespiratorySensitisation=1 MutagenGenotox=2',
  'MutagenGenotox=1A Carcinogenicity=1B',
  'Carcinogenicity=2 ReproductiveTox=1A_lact',
  'ReproductiveTox=lact Stot=2',
  'SkinSensitisation=1B ReproductiveTox=2_lact',
  'SkinCorrosiveIrritant=1B ReproductiveTox=1B_lact',
];

/** Code 22 stands for every other substance, with its name. `magnitude`: power of ten of a usual quantity in the unit. */
export const EMISSIONS = table(
  ['code', 'cas', 'iupac', 'unit', 'magnitude', 'other'],
  `
1    | 54-11-5    | 3-[(2S)-1-methylpyrrolidin-2-yl]pyridine          | mg/puff       | -2        |
2    | 107-21-1   | ethane-1,2-diol                                   | µg/puff       | -1        |
3    | 111-46-6   | 2,2'-oxydi(ethan-1-ol)                            | µg/puff       | -2        |
4    | 50-00-0    | methanal                                          | µg/100 puffs  | -1        |
5    | 75-07-0    | ethanal                                           | µg/100 puffs  | -1        |
6    | 107-02-8   | prop-2-enal                                       | µg/100 puffs  | -1        |
7    | 123-73-9   | (E)-but-2-enal                                    | µg/100 puffs  | -1        |
8    | 80508-23-2 | 3-(1-nitrosopyrrolidin-2-yl)pyridine              | ng/puff       | -3        |
9    | 64091-91-4 | 4-[methyl(nitroso)amino]-1-(pyridin-3-yl)butan-1-one | ng/puff    | -3        |
10   | 7440-43-9  | cadmium                                           | ng/20 puffs   | 0         |
11   | 7440-47-3  | chromium                                          | ng/20 puffs   | 0         |
12   | 7440-50-8  | copper                                            | ng/20 puffs   | 0         |
13   | 7439-92-1  | lead                                              | ng/20 puffs   | 0         |
14   | 7440-02-0  | nickel                                            | ng/20 puffs   | 0         |
15   | 7440-38-2  | arsenic                                           | ng/20 puffs   | 0         |
16   | 108-88-3   | methylbenzene                                     | ng/puff       | 0         |
17   | 71-43-2    | benzene                                           | ng/puff       | -1        |
18   | 106-99-0   | buta-1,3-diene                                    | ng/puff       | -1        |
19   | 78-79-5    | 2-methylbuta-1,3-diene                            | ng/puff       | -1        |
20   | 431-03-8   | butane-2,3-dione                                  | µg/100 puffs  | -1        |
21   | 600-14-6   | pentane-2,3-dione                                 | µg/100 puffs  | -1        |
22   | 75-56-9    | 2-methyloxirane                                   | µg/puff       | -2        | Propylene oxide
22   |            |                                                   | mg/puff       | 0         | Total aerosol mass
`,
);
