/** The schema of an `EcigProductSubmission` (package format §3, §4). Its type is inferred from it. */
import { PRODUCT_ID_PATTERN } from '../../contract/limits.ts';
import {
  NATIONAL_MARKETS,
  PRODUCT_NUMBER_TYPES,
  REACH_REGISTRATIONS,
  SUBMITTER_TYPES,
} from '../code-lists.ts';
import * as common from './common.ts';
import {
  boolean,
  code,
  date,
  double,
  integer,
  type Leaf,
  requiredCode,
  requiredPattern,
  text,
  unflagged,
  word,
  year,
} from './leaves.ts';
import { anyBoolean, oneOf } from './lexical.ts';
import type { Read, Reader } from './reading.ts';
import {
  expected,
  flagged,
  list,
  mandatory,
  optional,
  reference,
  references,
  sequence,
} from './structures.ts';

/** `xs:boolean` without a flag, as in `Submitter` (package format §2). */
const plainBoolean = unflagged(anyBoolean);

const submitter = flagged(
  sequence({
    SubmitterType: expected(unflagged(oneOf(SUBMITTER_TYPES, SUBMITTER_TYPES.join(' or ')))),
    HasParent: expected(plainBoolean),
    Parent: optional(common.company),
    HasAffiliates: expected(plainBoolean, 'HasAffiliate'),
    Affiliates: optional(list('Affiliate', common.company)),
    HasEnterer: expected(plainBoolean),
    Enterer: optional(common.company),
    HasNaturalLegalRepresentative: optional(boolean()),
    NaturalLegalRepresentative: optional(common.company),
  }),
  common.submitterIdOf,
);

const presentation = sequence({
  NationalMarket: expected(word(NATIONAL_MARKETS, 'a national market of the schema (EU states and GB)')),
  NationalComment: optional(text(1000)),
  BrandName: expected(text(100)),
  BrandSubtypeNameExists: expected(boolean()),
  BrandSubtypeName: optional(text(100)),
  LaunchDate: expected(date()),
  WithdrawalIndication: expected(boolean()),
  WithdrawalDate: optional(date()),
  ProductNumberType: expected(word(PRODUCT_NUMBER_TYPES, PRODUCT_NUMBER_TYPES.join(', '))),
  ProductNumber: expected(text(40)),
  PackageUnits: expected(integer()),
  UnitPacketPictureFile: optional(reference()),
  AnnualSalesDataList: optional(
    list(
      'AnnualSalesData',
      sequence({ Year: expected(year()), SalesVolume: expected(double()), SalesMode: optional(reference()) }),
    ),
  ),
});

const toxicologicalDetails = sequence({
  ToxicologicalDataAvailable: expected(code(1, 3)),
  ToxEmission: expected(boolean()),
  ToxCmr: expected(boolean()),
  ToxCardioPulmonary: expected(boolean()),
  ToxAddictive: expected(boolean()),
  ToxOther: expected(boolean()),
  ToxEmissionFiles: optional(references()),
  ToxCmrFiles: optional(references()),
  ToxCardioPulmonaryFiles: optional(references()),
  ToxAddictiveFiles: optional(references()),
  ToxOtherFiles: optional(references()),
});

/** A hazard category under Regulation (EC) No 1272/2008. */
const clp = (...categories: string[]): Reader<Leaf<string>> =>
  word(categories, `a category (${categories.join(', ')})`);

const ingredient = sequence({
  TemplateID: optional(common.templateId),
  TemplateIDUpdate: optional(date()),
  Name: expected(text(300)),
  CasNumberExists: optional(boolean()),
  CasNumber: optional(common.casNumber),
  AdditionalCasNumbers: optional(list('CasNumber', common.casNumber, 10)),
  FemaNumber: optional(common.femaNumber),
  AdditiveNumber: optional(text(5)),
  FlNumber: optional(text(10)),
  EcNumber: optional(common.ecNumber),
  OtherNumber: optional(text(40)),
  RecipeQuantity: expected(double()),
  Functions: optional(list('Function', code(1, 26))),
  FunctionOther: optional(text(100)),
  ToxicityStatus: expected(code(0, 2)),
  ReachRegistration: optional(word(REACH_REGISTRATIONS, REACH_REGISTRATIONS.join(' or '))),
  ReachRegistrationNumber: optional(text(40)),
  ClpWhetherClassification: optional(boolean()),
  ClpAcuteToxOral: optional(clp('1', '2', '3', '4')),
  ClpAcuteToxDermal: optional(clp('1', '2', '3', '4')),
  ClpAcuteToxInhalation: optional(clp('1', '2', '3', '4')),
  ClpSkinCorrosiveIrritant: optional(clp('1A', '1B', '1C', '2')),
  ClpEyeDamageIrritation: optional(clp('1', '2')),
  ClpRespiratorySensitisation: optional(clp('1')),
  ClpSkinSensitisation: optional(clp('1', '1A', '1B')),
  ClpMutagenGenotox: optional(clp('1A', '1B', '2')),
  ClpCarcinogenicity: optional(clp('1A', '1B', '2')),
  ClpReproductiveTox: optional(clp('1A', '1B', '2', 'lact', '1A_lact', '1B_lact', '2_lact')),
  ClpStot: optional(clp('1', '2', '3')),
  ClpStotDescription: optional(text(500)),
  ClpAspirationTox: optional(clp('1')),
  ToxicologicalDetails: expected(toxicologicalDetails),
  IdentificationRefillContainerCartridge: optional(text(300)),
});

const emission = sequence({
  CasNumber: optional(common.casNumber),
  IupacName: optional(text(100)),
  Quantity: expected(double()),
  /** The schema demands the unit. A product check reports its absence (docs/product-checks.md). */
  Unit: optional(text(40)),
  MethodsFile: expected(references()),
  AdditionalProducts: optional(common.productIdentifications),
  ProductCombination: optional(text(500)),
  /** A code, unlike the name of an ingredient, which is text (package format §3). */
  Name: expected(code(1, 22)),
  NameOther: optional(text(100)),
});

const design = sequence({
  Description: expected(text(1000)),
  IdentificationEcigDevice: optional(text(300)),
  LiquidVolumeCapacity: optional(double()),
  NicotineConcentration: optional(double()),
  BatteryType: optional(text(300)),
  BatteryCapacity: optional(double()),
  VoltageWattageAdjustable: optional(code(1, 4)),
  Voltage: optional(double()),
  VoltageLowerRange: optional(double()),
  VoltageUpperRange: optional(double()),
  Wattage: optional(double()),
  WattageLowerRange: optional(double()),
  WattageUpperRange: optional(double()),
  AirflowAdjustable: optional(boolean()),
  WickChangeable: optional(boolean()),
  Microprocessor: optional(boolean()),
  CoilComposition: optional(text(300)),
  NicotineDoseUptakeFile: optional(reference()),
  ProductionFile: expected(reference()),
  ProductionConformity: expected(boolean()),
  QualitySafety: expected(boolean()),
  OpeningRefillFile: optional(reference()),
  ChildTamperProof: expected(boolean()),
  HighPurity: optional(boolean()),
  NonRisk: expected(boolean()),
  ConsistentDosing: optional(boolean()),
  ConsistentDosingMethodsFile: optional(reference()),
  LeafletFile: optional(reference()),
  CoilResistance: optional(double()),
});

const product = sequence({
  ProductID: mandatory(requiredPattern(PRODUCT_ID_PATTERN, 'NNNNN-NN-NNNNN, digits only')),
  PreviousProductID: optional(common.productId),
  OtherProductsExist: expected(boolean()),
  OtherProducts: optional(common.productIdentifications),
  SameCompositionProductsExist: expected(boolean()),
  SameCompositionProducts: optional(common.productIdentifications),
  Manufacturers: optional(list('Manufacturer', common.manufacturer)),
  MarketResearchFiles: optional(references()),
  ProductType: mandatory(requiredCode(1, 9)),
  Weight: optional(double()),
  Volume: optional(double()),
  ClpClassification: optional(text(300)),
  StudySummaryFiles: optional(references()),
  Presentations: mandatory(list('Presentation', presentation)),
  Ingredients: optional(list('Ingredient', ingredient)),
  Emissions: optional(list('Emission', emission)),
  Design: mandatory(design),
});

/** The root element of a product file. */
export const ECIG_ROOT = 'EcigProductSubmission';

export const ecigProductSubmission = sequence({
  Submitter: mandatory(submitter),
  SubmissionType: mandatory(code(1, 7)),
  GeneralComment: optional(text(1000)),
  Product: mandatory(product),
});

export type EcigProductSubmission = Read<typeof ecigProductSubmission>;
export type EcigProduct = EcigProductSubmission['Product'];
