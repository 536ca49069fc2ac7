/** The expectations of a package as JSON, for programs outside of this project. */
import type { GeneratedFile, GeneratedPackage } from './generate-package.ts';
import type { Expectation } from './product-file.ts';

/**
 * The text of the manifest in pieces, a line for each file: the whole may be too large to hold. Regular
 * expressions are given by their source.
 */
export function* manifestOf(generated: GeneratedPackage): Generator<string> {
  const { root, refusal, outcomes, files } = generated;
  const head = JSON.stringify({ root, refusal: refusal?.source ?? null, outcomes });
  yield `${head.slice(0, -1)},"files":[`;
  for (const [index, file] of files.entries()) {
    yield `${index === 0 ? '' : ','}\n${JSON.stringify({ ...describe(file), path: file.path, kind: file.kind })}`;
  }
  yield '\n]}\n';
}

function describe(file: GeneratedFile): object {
  switch (file.kind) {
    case 'attachment': {
      const { attachmentId, filename, contentType, confidential, contentBytes } = file;
      return { attachmentId, filename, contentType, confidential, contentBytes };
    }
    case 'submitter':
      return { details: file.details };
    case 'other':
      return {};
    default:
      return { expectation: expectationAsJson(file.expectation) };
  }
}

/** Without the sections, which are as large as the file itself. */
function expectationAsJson({ reason, warning, values, ...expectation }: Expectation): object {
  const { sections: _, ...summary } = values?.() ?? { sections: null };
  return {
    ...expectation,
    reason: reason?.source ?? null,
    warning: warning?.source ?? null,
    values: values ? summary : null,
  };
}
