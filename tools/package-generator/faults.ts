/** All faults, of product files and of packages as a whole. */
import { FILE_FAULTS, type FileFault, type FileFaultName } from './file-faults.ts';

/** A fault of the package as a whole. */
export interface PackageFault {
  about: string;
  /** What the refusal of the package must mention; without it the fault is harmless. */
  refusal?: RegExp;
}

export const PACKAGE_FAULTS = {
  'second-root': {
    about: 'n more root directories beside the first',
    refusal: /expected a single root directory but found multiple: /,
  },
  'no-export': {
    about: 'the root directory has no directory named export',
    refusal: /expected a directory named "export"/,
  },
  litter: {
    about: 'what operating systems leave behind: __MACOSX/, .DS_Store, Thumbs.db, n files ._*.xml',
  },
} as const satisfies Record<string, PackageFault>;

export type PackageFaultName = keyof typeof PACKAGE_FAULTS;
export type FaultName = FileFaultName | PackageFaultName;

/** How often each fault is wanted. */
export type Faults = Partial<Record<FaultName, number>>;

// Object.keys knows the keys of constants only as strings.
export const FILE_FAULT_NAMES = Object.keys(FILE_FAULTS) as FileFaultName[];
export const PACKAGE_FAULT_NAMES = Object.keys(PACKAGE_FAULTS) as PackageFaultName[];
export const FAULT_NAMES: readonly FaultName[] = [...FILE_FAULT_NAMES, ...PACKAGE_FAULT_NAMES];

/** A line about each fault for people: its name, what is wrong, and what comes of it. */
export function describeFaults(): { name: FaultName; about: string; effect: string }[] {
  return [
    ...FILE_FAULT_NAMES.map((name) => {
      const { about, outcome, warning }: FileFault = FILE_FAULTS[name];
      return { name, about, effect: warning ? `${outcome}, with a warning` : outcome };
    }),
    ...PACKAGE_FAULT_NAMES.map((name) => {
      const { about, refusal }: PackageFault = PACKAGE_FAULTS[name];
      return { name, about, effect: refusal ? 'the package is refused' : 'harmless' };
    }),
  ];
}
