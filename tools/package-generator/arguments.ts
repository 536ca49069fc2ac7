/** The values of the command line: sizes and faults. */
import { FAULT_NAMES, type FaultName, type Faults } from './faults.ts';

/** Powers of 1024, as in the interface's limit of an upload. */
const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/**
 * Bytes of a size like `20MB`, `512KB`, `1.5GB` or `1000`; units are powers of 1024, in any case.
 *
 * @throws RangeError for anything else
 */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([KMG]?B)?$/i.exec(text.trim());
  const unit = UNITS[match?.[2]?.toUpperCase() ?? ''];
  const bytes = Number(match?.[1]) * (unit ?? Number.NaN);
  if (!Number.isSafeInteger(Math.round(bytes))) {
    throw new RangeError(`"${text}" is no size; expected e.g. 512KB, 20MB or 2GB`);
  }
  return Math.round(bytes);
}

/**
 * Adds a fault like `malformed=2` to others; without a number it is 1.
 *
 * @throws RangeError for unknown faults and for what is no number
 */
export function addFault(text: string, faults: Faults = {}): Faults {
  const [name = '', number = '1', ...rest] = text.split('=');
  if (!isFault(name)) throw new RangeError(`"${name}" is no fault; there are ${FAULT_NAMES.join(', ')}`);
  if (!/^\d{1,5}$/.test(number) || rest.length > 0) {
    throw new RangeError(`"${text}" has no number of files; expected e.g. ${name}=3`);
  }
  return { ...faults, [name]: (faults[name] ?? 0) + Number(number) };
}

function isFault(name: string): name is FaultName {
  const names: readonly string[] = FAULT_NAMES;
  return names.includes(name);
}
