/** The file is not XML that the service reads. The message gives the reason, and the place if it is known. */
export class XmlProblem extends Error {
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, place: { line?: number; column?: number } = {}) {
    const at =
      place.line === undefined
        ? ''
        : ` (line ${place.line}${place.column === undefined ? '' : `, column ${place.column}`})`;
    super(message + at);
    this.line = place.line;
    this.column = place.column;
  }
}
