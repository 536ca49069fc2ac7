/**
 * The package generator: realistic packages for the demo, for tests and for benchmarks, each with what the
 * importer should make of it.
 */
export { addFault, parseSize } from './arguments.ts';
export type { Attachment } from './attachments.ts';
export {
  describeFaults,
  FAULT_NAMES,
  type FaultName,
  type Faults,
  FILE_FAULT_NAMES,
  PACKAGE_FAULT_NAMES,
  type PackageFaultName,
} from './faults.ts';
export type { FileFaultName, Outcome } from './file-faults.ts';
export {
  type AttachmentFile,
  type GeneratedFile,
  type GeneratedPackage,
  generatePackage,
  type ProductFile,
  type SubmitterFile,
} from './generate-package.ts';
export {
  type GeneratedProductXml,
  generateProductXml,
  type ProductXmlOptions,
} from './generate-product-xml.ts';
export { manifestOf } from './manifest.ts';
export type { PackageOptions, WritingStyle } from './options.ts';
export type { ProductValues } from './product/reading.ts';
export type { Expectation } from './product-file.ts';
export type { SubmitterDetails } from './submitter-file.ts';
export { STYLE_NAMES, type StyleName, WRITING_STYLES } from './xml/styles.ts';
