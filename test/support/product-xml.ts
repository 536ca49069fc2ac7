/** A minimal valid product, and packages of such products, for tests of other subjects. */
import { zipOf } from './zip.ts';

export interface ProductOptions {
  productId?: string;
  type?: string;
  brand?: string;
  /** Replaces or adds parts of the XML text, to create faults. */
  edit?: (xml: string) => string;
}

let next = 0;

/** A product ID that is unique in this test process. */
export function newProductId(): string {
  next += 1;
  return productIdOfThisYear(10_000 + (process.pid % 80_000) + next);
}

/** The ID of a product that is first submitted this year (package format §2). */
export const productIdOfThisYear = (number: number): string =>
  `99962-${new Date().toISOString().slice(2, 4)}-${String(number).padStart(5, '0')}`;

export function productXml({
  productId = newProductId(),
  type = '7',
  brand = 'Brand',
  edit,
}: ProductOptions = {}): string {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<EcigProductSubmission>
  <Submitter confidential="false" submitterID="99962">
    <SubmitterType>MANUFACTURER</SubmitterType>
    <HasParent>false</HasParent>
    <HasAffiliates>false</HasAffiliates>
    <HasEnterer>false</HasEnterer>
  </Submitter>
  <SubmissionType confidential="false">1</SubmissionType>
  <Product>
    <ProductID confidential="false">${productId}</ProductID>
    <OtherProductsExist confidential="true">false</OtherProductsExist>
    <SameCompositionProductsExist confidential="true">false</SameCompositionProductsExist>
    <ProductType confidential="false">${type}</ProductType>
    <Volume confidential="false">10</Volume>
    <Presentations>
      <Presentation>
        <NationalMarket confidential="false">SE</NationalMarket>
        <BrandName confidential="false">${brand}</BrandName>
        <BrandSubtypeNameExists confidential="false">false</BrandSubtypeNameExists>
        <LaunchDate confidential="false">2126-01-01</LaunchDate>
        <WithdrawalIndication confidential="false">false</WithdrawalIndication>
        <ProductNumberType confidential="false">SUBMITTER</ProductNumberType>
        <ProductNumber confidential="false">0001</ProductNumber>
        <PackageUnits confidential="false">1</PackageUnits>
      </Presentation>
    </Presentations>
    <Ingredients>
      <Ingredient>
        <Name confidential="false">Glycerol</Name>
        <CasNumber confidential="false">56-81-5</CasNumber>
        <RecipeQuantity confidential="false">5000.50</RecipeQuantity>
        <ToxicityStatus confidential="false">1</ToxicityStatus>
        <ToxicologicalDetails>
          <ToxicologicalDataAvailable confidential="false">1</ToxicologicalDataAvailable>
          <ToxEmission confidential="false">false</ToxEmission>
          <ToxCmr confidential="false">false</ToxCmr>
          <ToxCardioPulmonary confidential="false">false</ToxCardioPulmonary>
          <ToxAddictive confidential="false">false</ToxAddictive>
          <ToxOther confidential="false">false</ToxOther>
        </ToxicologicalDetails>
      </Ingredient>
    </Ingredients>
    <Design>
      <Description confidential="false">A bottle</Description>
      <ProductionFile attachmentID="${REFERRED_ATTACHMENT}"/>
      <ProductionConformity confidential="false">true</ProductionConformity>
      <QualitySafety confidential="false">true</QualitySafety>
      <ChildTamperProof confidential="false">true</ChildTamperProof>
      <NonRisk confidential="false">true</NonRisk>
    </Design>
  </Product>
</EcigProductSubmission>
`;
  return edit ? edit(xml) : xml;
}

/** The path of a product file in a package. */
export function productPath(name: string, root = 'root'): string {
  return `${root}/export/ecigarette-product-submissions/${name}.xml`;
}

/** A package of these products, in files a.xml, b.xml and so on. */
export function packageOf(...products: ProductOptions[]): Promise<Buffer> {
  const files = products.map((product, index) => [
    productPath((index + 10).toString(36)),
    productXml(product),
  ]);
  return zipOf(Object.fromEntries(files));
}

/** The attachment to which `productXml` refers in its design. */
export const REFERRED_ATTACHMENT = '238d0f2d-5dd0-4f07-838e-24680cb37d51';

/** @param content plain text or bytes, which the file holds in base64 */
export function attachmentXml(
  content: string | Uint8Array,
  { id = REFERRED_ATTACHMENT, fileName = 'a.pdf' } = {},
): string {
  const base64 = Buffer.from(content).toString('base64');
  return `<Attachment><AttachmentID>${id}</AttachmentID><Filename>${fileName}</Filename><Content>${base64}</Content><ContentType>application/pdf</ContentType><Confidential>true</Confidential></Attachment>`;
}

/** The path of an attachment file in a package. */
export function attachmentPath(name: string): string {
  return `root/export/attachments/${name}.xml`;
}

/** A part of a product with this many references to unknown attachments. It belongs in front of `<Design>`. */
export function unknownReferences(references: number): string {
  const attachments = Array.from(
    { length: references },
    (_, n) => `<Attachment attachmentID="${n.toString(16).padStart(8, '0')}-5dd0-4f07-838e-24680cb37d51"/>`,
  );
  return `<StudySummaryFiles>${attachments.join('')}</StudySummaryFiles>`;
}
