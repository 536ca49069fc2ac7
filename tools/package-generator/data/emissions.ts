/** The emissions of the code list (package format §4), as a laboratory would report them. */

export interface EmissionSubstance {
  code: number;
  cas?: string;
  iupac?: string;
  unit: string;
  /** Usual order of magnitude of the quantity in that unit, as a power of ten. */
  magnitude: number;
}

const metal = (code: number, cas: string, iupac: string): EmissionSubstance => ({
  code,
  cas,
  iupac,
  unit: 'ng/20 puffs',
  magnitude: 0,
});

const carbonyl = (code: number, cas: string, iupac: string): EmissionSubstance => ({
  code,
  cas,
  iupac,
  unit: 'µg/100 puffs',
  magnitude: -1,
});

export const EMISSIONS: readonly EmissionSubstance[] = [
  {
    code: 1,
    cas: '54-11-5',
    iupac: '3-[(2S)-1-methylpyrrolidin-2-yl]pyridine',
    unit: 'mg/puff',
    magnitude: -2,
  },
  { code: 2, cas: '107-21-1', iupac: 'ethane-1,2-diol', unit: 'µg/puff', magnitude: -1 },
  { code: 3, cas: '111-46-6', iupac: "2,2'-oxydi(ethan-1-ol)", unit: 'µg/puff', magnitude: -2 },
  carbonyl(4, '50-00-0', 'methanal'),
  carbonyl(5, '75-07-0', 'ethanal'),
  carbonyl(6, '107-02-8', 'prop-2-enal'),
  carbonyl(7, '123-73-9', '(E)-but-2-enal'),
  {
    code: 8,
    cas: '80508-23-2',
    iupac: '3-(1-nitrosopyrrolidin-2-yl)pyridine',
    unit: 'ng/puff',
    magnitude: -3,
  },
  {
    code: 9,
    cas: '64091-91-4',
    iupac: '4-[methyl(nitroso)amino]-1-(pyridin-3-yl)butan-1-one',
    unit: 'ng/puff',
    magnitude: -3,
  },
  metal(10, '7440-43-9', 'cadmium'),
  metal(11, '7440-47-3', 'chromium'),
  metal(12, '7440-50-8', 'copper'),
  metal(13, '7439-92-1', 'lead'),
  metal(14, '7440-02-0', 'nickel'),
  metal(15, '7440-38-2', 'arsenic'),
  { code: 16, cas: '108-88-3', iupac: 'methylbenzene', unit: 'ng/puff', magnitude: 0 },
  { code: 17, cas: '71-43-2', iupac: 'benzene', unit: 'ng/puff', magnitude: -1 },
  { code: 18, cas: '106-99-0', iupac: 'buta-1,3-diene', unit: 'ng/puff', magnitude: -1 },
  { code: 19, cas: '78-79-5', iupac: '2-methylbuta-1,3-diene', unit: 'ng/puff', magnitude: -1 },
  carbonyl(20, '431-03-8', 'butane-2,3-dione'),
  carbonyl(21, '600-14-6', 'pentane-2,3-dione'),
];

/** What is reported under code 22 (other), with its name. */
export const OTHER_EMISSIONS: readonly (EmissionSubstance & { name: string })[] = [
  {
    code: 22,
    name: 'Propylene oxide',
    cas: '75-56-9',
    iupac: '2-methyloxirane',
    unit: 'µg/puff',
    magnitude: -2,
  },
  {
    code: 22,
    name: 'Glycidol',
    cas: '556-52-5',
    iupac: 'oxiran-2-ylmethanol',
    unit: 'µg/puff',
    magnitude: -2,
  },
  { code: 22, name: 'Acetone', cas: '67-64-1', iupac: 'propan-2-one', unit: 'µg/100 puffs', magnitude: 0 },
  { code: 22, name: 'Tin', cas: '7440-31-5', iupac: 'tin', unit: 'ng/20 puffs', magnitude: 0 },
  { code: 22, name: 'Total aerosol mass', unit: 'mg/puff', magnitude: 0 },
];
