/** A dry run: reads a package like an import and creates nothing. */
import { checking } from './activity-proxies.ts';
import type { PackageCheckInput } from './messages.ts';

export async function packageCheck(input: PackageCheckInput): Promise<{ products: number }> {
  return checking.checkPackage(input);
}
