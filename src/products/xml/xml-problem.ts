import { plainReason, reasonText } from '../../contract/reasons.ts';
import type { Reason } from '../../contract/types.ts';

/** The file is not XML that the service reads. */
export class XmlProblem extends Error {
  readonly reason: Reason;

  /** @param line null if it is not known */
  constructor(text: string, line: number | null = null) {
    const reason = { ...plainReason(text), line };
    super(reasonText(reason));
    this.reason = reason;
  }
}
