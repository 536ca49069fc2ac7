/** A minimal valid product, for tests of other subjects. */

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
  return `99962-26-${String(10_000 + (process.pid % 80_000) + next).padStart(5, '0')}`;
}

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
      <ProductionFile attachmentID="238d0f2d-5dd0-4f07-838e-24680cb37d51"/>
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

/** A part of a product with this many references to unknown attachments. It belongs in front of `<Design>`. */
export function unknownReferences(references: number): string {
  const attachments = Array.from(
    { length: references },
    (_, n) => `<Attachment attachmentID="${n.toString(16).padStart(8, '0')}-5dd0-4f07-838e-24680cb37d51"/>`,
  );
  return `<StudySummaryFiles>${attachments.join('')}</StudySummaryFiles>`;
}
