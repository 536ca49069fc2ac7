/** Substances that e-liquids are made of, with the numbers by which registers know them. */

export type SubstanceRole = 'carrier' | 'nicotine' | 'flavour' | 'cooling' | 'acid' | 'sweetener' | 'other';

export interface Substance {
  name: string;
  role: SubstanceRole;
  cas: string;
  ec?: string;
  fema?: string;
  /** Food additive number. */
  additive?: string;
  /** Number in the Union list of flavourings. */
  fl?: string;
  /** Codes of what it usually does (package format §4). */
  functions: readonly number[];
  /** Its hazard categories under Regulation (EC) No 1272/2008, by element name without the prefix `Clp`. */
  clp?: Readonly<Record<string, string>>;
}

type Numbers = Pick<Substance, 'ec' | 'fema' | 'additive' | 'fl'>;

const of =
  (role: SubstanceRole, functions: readonly number[]) =>
  (name: string, cas: string, numbers: Numbers = {}, clp?: Substance['clp']): Substance => ({
    name,
    role,
    cas,
    functions,
    ...numbers,
    ...(clp !== undefined && { clp }),
  });

const carrier = of('carrier', [4, 13, 17, 20]);
const nicotine = of('nicotine', [1]);
const flavour = of('flavour', [12]);
const cooling = of('cooling', [12]);
const acid = of('acid', [14]);
const sweetener = of('sweetener', [12]);
const other = of('other', [4, 16, 17, 25]);

export const SUBSTANCES: readonly Substance[] = [
  carrier('Propane-1,2-diol (propylene glycol)', '57-55-6', {
    ec: '200-338-0',
    fema: '2940',
    additive: 'E1520',
  }),
  carrier('Propane-1,2,3-triol (glycerol)', '56-81-5', { ec: '200-289-5', fema: '2525', additive: 'E422' }),
  carrier('Propane-1,3-diol', '504-63-2', { ec: '207-997-3', fema: '4753' }),

  nicotine(
    '3-[(2S)-1-Methylpyrrolidin-2-yl]pyridine (nicotine)',
    '54-11-5',
    { ec: '200-193-3' },
    { AcuteToxOral: '2', AcuteToxDermal: '2', AcuteToxInhalation: '2' },
  ),
  nicotine(
    'Nicotine salicylate',
    '29790-52-1',
    { ec: '249-852-7' },
    { AcuteToxOral: '2', AcuteToxDermal: '2' },
  ),

  flavour(
    'Vanillin',
    '121-33-5',
    { ec: '204-465-2', fema: '3107', fl: '05.018' },
    { EyeDamageIrritation: '2' },
  ),
  flavour('Ethyl vanillin', '121-32-4', { ec: '204-464-7', fema: '2464', fl: '05.019' }),
  flavour('Maltol', '118-71-8', { ec: '204-271-8', fema: '2656', fl: '07.014' }, { AcuteToxOral: '4' }),
  flavour(
    'Ethyl maltol',
    '4940-11-8',
    { ec: '225-582-5', fema: '3487', fl: '07.047' },
    { AcuteToxOral: '4' },
  ),
  flavour('Ethyl butyrate', '105-54-4', { ec: '203-306-4', fema: '2427', fl: '09.039' }),
  flavour('Isoamyl acetate', '123-92-2', { ec: '204-662-3', fema: '2055', fl: '09.024' }),
  flavour(
    'Ethyl acetate',
    '141-78-6',
    { ec: '205-500-4', fema: '2414', fl: '09.001' },
    { EyeDamageIrritation: '2', Stot: '3' },
  ),
  flavour('Ethyl 2-methylbutyrate', '7452-79-1', { ec: '231-225-4', fema: '2443', fl: '09.409' }),
  flavour('Hexyl acetate', '142-92-7', { ec: '205-572-7', fema: '2565', fl: '09.006' }),
  flavour(
    'Allyl hexanoate',
    '123-68-2',
    { ec: '204-642-4', fema: '2032', fl: '09.244' },
    { AcuteToxOral: '3', AcuteToxDermal: '3', AcuteToxInhalation: '3' },
  ),
  flavour('cis-Hex-3-en-1-ol', '928-96-1', { ec: '213-192-8', fema: '2563', fl: '02.056' }),
  flavour(
    'Linalool',
    '78-70-6',
    { ec: '201-134-4', fema: '2635', fl: '02.013' },
    { SkinCorrosiveIrritant: '2', EyeDamageIrritation: '2', SkinSensitisation: '1B' },
  ),
  flavour(
    '(R)-p-Mentha-1,8-diene (D-limonene)',
    '5989-27-5',
    { ec: '227-813-5', fema: '2633', fl: '01.045' },
    { SkinCorrosiveIrritant: '2', SkinSensitisation: '1', AspirationTox: '1' },
  ),
  flavour(
    'Citral',
    '5392-40-5',
    { ec: '226-394-6', fema: '2303', fl: '05.020' },
    { SkinCorrosiveIrritant: '2', SkinSensitisation: '1' },
  ),
  flavour('γ-Decalactone', '706-14-9', { ec: '211-892-8', fema: '2360', fl: '10.017' }),
  flavour('δ-Decalactone', '705-86-2', { ec: '211-889-1', fema: '2361', fl: '10.007' }),
  flavour('γ-Undecalactone', '104-67-6', { ec: '203-225-4', fema: '3091', fl: '10.002' }),
  flavour('4-(4-Hydroxyphenyl)butan-2-one (raspberry ketone)', '5471-51-2', {
    ec: '226-806-4',
    fema: '2588',
    fl: '07.055',
  }),
  flavour(
    'Benzaldehyde',
    '100-52-7',
    { ec: '202-860-4', fema: '2127', fl: '05.013' },
    { AcuteToxOral: '4', AcuteToxInhalation: '4', ReproductiveTox: '1B' },
  ),
  flavour(
    'Cinnamaldehyde',
    '104-55-2',
    { ec: '203-213-9', fema: '2286', fl: '05.014' },
    {
      AcuteToxDermal: '4',
      SkinSensitisation: '1A',
    },
  ),
  flavour('4-Hydroxy-2,5-dimethylfuran-3(2H)-one', '3658-77-3', {
    ec: '222-908-8',
    fema: '3174',
    fl: '13.010',
  }),
  flavour(
    'Piperonal',
    '120-57-0',
    { ec: '204-409-7', fema: '2911', fl: '05.016' },
    { SkinSensitisation: '1B' },
  ),
  flavour('trans-Anethole', '4180-23-8', { ec: '224-052-0', fema: '2086', fl: '04.010' }),
  flavour('2,3,5-Trimethylpyrazine', '14667-55-1', { ec: '238-712-0', fema: '3244', fl: '14.019' }),
  flavour(
    '2-Phenylethan-1-ol',
    '60-12-8',
    { ec: '200-456-2', fema: '2858', fl: '02.019' },
    { AcuteToxOral: '4', EyeDamageIrritation: '2' },
  ),

  cooling(
    '(1R,2S,5R)-5-Methyl-2-(propan-2-yl)cyclohexan-1-ol (L-menthol)',
    '2216-51-5',
    { ec: '218-690-9', fema: '2665', fl: '02.015' },
    { SkinCorrosiveIrritant: '2', EyeDamageIrritation: '2' },
  ),
  cooling('2-Isopropyl-N,2,3-trimethylbutyramide', '51115-67-4', {
    ec: '256-974-4',
    fema: '3804',
    fl: '16.053',
  }),
  cooling('N-Ethyl-2-isopropyl-5-methylcyclohexanecarboxamide', '39711-79-0', {
    ec: '254-599-0',
    fema: '3455',
    fl: '16.013',
  }),
  cooling(
    '1,8-Cineole (eucalyptol)',
    '470-82-6',
    { ec: '207-431-5', fema: '2465', fl: '03.001' },
    {
      SkinSensitisation: '1B',
    },
  ),

  acid(
    'Benzoic acid',
    '65-85-0',
    { ec: '200-618-2', fema: '2131', additive: 'E210' },
    { SkinCorrosiveIrritant: '2', EyeDamageIrritation: '1', Stot: '1' },
  ),
  acid(
    'Lactic acid',
    '50-21-5',
    { ec: '200-018-0', fema: '2611', additive: 'E270' },
    {
      SkinCorrosiveIrritant: '1C',
      EyeDamageIrritation: '1',
    },
  ),
  acid(
    'Citric acid',
    '77-92-9',
    { ec: '201-069-1', fema: '2306', additive: 'E330' },
    {
      EyeDamageIrritation: '2',
      Stot: '3',
    },
  ),
  acid('DL-Malic acid', '6915-15-7', { ec: '230-022-8', fema: '2655', additive: 'E296' }),
  acid('4-Oxopentanoic acid (levulinic acid)', '123-76-2', { ec: '204-649-2', fema: '2627', fl: '08.023' }),
  acid(
    'Acetic acid',
    '64-19-7',
    { ec: '200-580-7', fema: '2006', additive: 'E260' },
    {
      SkinCorrosiveIrritant: '1A',
    },
  ),
  acid(
    'Butyric acid',
    '107-92-6',
    { ec: '203-532-3', fema: '2221', fl: '08.005' },
    {
      SkinCorrosiveIrritant: '1B',
    },
  ),
  acid(
    'Salicylic acid',
    '69-72-7',
    { ec: '200-712-3', fema: '3985' },
    {
      AcuteToxOral: '4',
      EyeDamageIrritation: '1',
      ReproductiveTox: '2',
    },
  ),

  sweetener('Sucralose', '56038-13-2', { ec: '259-952-2', additive: 'E955' }),

  other('Water', '7732-18-5', { ec: '231-791-2' }),
  other(
    'Ethanol',
    '64-17-5',
    { ec: '200-578-6', fema: '2419', additive: 'E1510' },
    {
      EyeDamageIrritation: '2',
    },
  ),
  other('Glycerol triacetate (triacetin)', '102-76-1', { ec: '203-051-9', fema: '2007', additive: 'E1518' }),
  other(
    'Benzyl alcohol',
    '100-51-6',
    { ec: '202-859-9', fema: '2137', fl: '02.010', additive: 'E1519' },
    {
      AcuteToxOral: '4',
      AcuteToxInhalation: '4',
    },
  ),
  other(
    'Potassium sorbate',
    '24634-61-5',
    { ec: '246-376-1', additive: 'E202' },
    { EyeDamageIrritation: '2' },
  ),
];
