/** From a product file to a product: what is refused, what is a warning, what is tolerated (docs/reading-packages.md). */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { reasonsText, reasonText } from '../../src/contract/reasons.ts';
import { type ParseResult, parseProduct } from '../../src/products/parse-product.ts';
import { decodeXml } from '../../src/products/xml/decode.ts';
import { productXml } from '../support/product-xml.ts';
import { genuineProductFile, sharedFormat } from '../support/shared.ts';

const parse = (xml: string | Buffer) => parseProduct(Buffer.from(xml));
const edited = (from: string | RegExp, to: string) =>
  parse(productXml({ productId: '99962-26-00001', edit: (xml) => xml.replace(from, to) }));

function product(result: ParseResult) {
  if (!result.ok) throw new Error(reasonsText(result.reasons));
  return result.product;
}

function reason(result: ParseResult): string {
  if (result.ok) throw new Error('was accepted');
  return reasonsText(result.reasons);
}

describe('a clean product', () => {
  it('is read without a warning', () => {
    const read = product(parse(productXml({ productId: '99962-26-00001', type: '4' })));
    expect(read).toMatchObject({
      productId: '99962-26-00001',
      productTypeCode: 4,
      productType: expect.stringMatching(/^Electronic cigarette - Refillable/),
      submissionTypeCode: 1,
      warnings: [],
    });
    expect(read.sections.product_presentation).toMatchObject({
      Presentations: [
        { BrandName: { value: 'Brand', confidential: false }, ProductNumber: { value: '0001' } },
      ],
    });
    expect(read.sections.ingredients).toMatchObject({
      Ingredients: [{ RecipeQuantity: { value: '5000.50' } }],
    });
    expect(read.sections.emission).toBeNull();
    expect(read.attachments).toEqual([
      {
        attachmentId: '238d0f2d-5dd0-4f07-838e-24680cb37d51',
        step: 'design',
        path: 'Product/Design/ProductionFile',
        line: 46,
      },
    ]);
  });

  it.skipIf(!sharedFormat)('of a large manufacturer, real, is read with warnings only', async () => {
    const read = product(parse(await readFile(genuineProductFile)));
    expect(read.productId).toBe('99962-22-00003');
    const [email, ...others] = read.warnings;
    expect(email?.text).toContain('"pmi@pmi" is not an e-mail address');
    // The other warnings come from product checks: the sample has made-up CAS numbers and an old launch.
    expect(new Set(others.map(({ check }) => check))).toEqual(new Set(['launch_date', 'cas_check_digit']));
    expect(read.attachments).toHaveLength(13);
  });
});

describe('refused, with element, value, line and what was expected', () => {
  const cases: [title: string, result: ParseResult, expected: RegExp][] = [
    [
      'unknown product type',
      edited('>7</ProductType>', '>10</ProductType>'),
      /^ProductType "10" is unknown; expected 1-9 \(Product\/ProductType, line \d+\)$/,
    ],
    [
      'product type 10.0 (seen)',
      edited('>7</ProductType>', '>10.0</ProductType>'),
      /ProductType "10.0" is unknown/,
    ],
    [
      'product type in words',
      edited('>7</ProductType>', '>Refill</ProductType>'),
      /ProductType "Refill" is unknown/,
    ],
    [
      'empty product type',
      edited('>7</ProductType>', '></ProductType>'),
      /ProductType is empty; expected 1-9/,
    ],
    [
      'missing product type',
      edited(/<ProductType.*?<\/ProductType>/, ''),
      /^ProductType is missing \(Product\/ProductType\)$/,
    ],
    [
      'malformed product ID',
      edited('>99962-26-00001<', '>99962-26-1<'),
      /ProductID "99962-26-1" is invalid; expected NNNNN-NN-NNNNN/,
    ],
    ['product ID in other digits', edited('>99962-26-00001<', '>٩٩٩٦٢-26-00001<'), /ProductID .* is invalid/],
    ['missing product ID', edited(/<ProductID.*?<\/ProductID>/, ''), /ProductID is missing/],
    ['missing Design', edited(/<Design>[\s\S]*<\/Design>/, ''), /Design is missing \(Product\/Design\)/],
    [
      'missing Presentations',
      edited(/<Presentations>[\s\S]*<\/Presentations>/, ''),
      /Presentations is missing/,
    ],
    ['missing Submitter', edited(/<Submitter [\s\S]*<\/Submitter>/, ''), /Submitter is missing/],
    ['missing Product', edited(/<Product>[\s\S]*<\/Product>/, ''), /Product is missing/],
    [
      'wrong root',
      parse('<TobaccoProductSubmission/>'),
      /wrong root element "TobaccoProductSubmission"; expected EcigProductSubmission \(line 1\)/,
    ],
    [
      'mismatched tags',
      edited('</Design>', '</Desing>'),
      /not well-formed XML: unexpected close tag <\/Desing>, expected <\/Design> at column \d+ \(line \d+\)/,
    ],
    ['truncated', parse(productXml().slice(0, 900)), /not well-formed XML: unclosed tag/],
    ['not XML', parse('product,type\n1,2'), /not well-formed XML/],
    ['empty', parse(''), /^not well-formed XML: the file is empty \(line 1\)$/],
    [
      'cut off in a reference',
      parse(productXml().replace(/Brand<[\s\S]*/, 'A &am')),
      /unclosed tag: \w+ at column/,
    ],
    [
      'an unknown entity',
      edited('>Brand<', '>A&nbsp;B<'),
      /^not well-formed XML: undefined entity &nbsp; at column \d+ \(line 19\)$/,
    ],
    [
      'a reference to no character',
      edited('>Brand<', '>A&#0;B<'),
      /: the reference &#0; stands for no character of XML at column \d+ \(line 19\)$/,
    ],
    [
      'an & with the next semicolon in another line',
      parse(productXml().replace('>Brand<', '>Nebula & Sons<').replace('A bottle', 'A &lt; B')),
      /^not well-formed XML: a & begins no reference; write &amp; at column 48 \(line 19\)$/,
    ],
    [
      'an & behind others that are allowed',
      edited('>Brand<', ' x="&quot;"><!-- & --><![CDATA[ & ]]><?a & ?>&amp; & &amp;<'),
      /a & begins no reference; write &amp; at column 91 \(line 19\)$/,
    ],
    [
      'an & without a semicolon behind it',
      edited('>Brand<', '>Nebula & Sons<'),
      /a & begins no reference; write &amp; at column 48 \(line 19\)$/,
    ],
    [
      'UTF-16 without a byte order mark',
      parse(Buffer.from(productXml(), 'utf16le')),
      /neither UTF-8 nor UTF-16/,
    ],
  ];
  it.each(cases)('%s', (_title, result, expected) => {
    expect(reason(result)).toMatch(expected);
  });

  const codesOf = (result: ParseResult) =>
    result.ok ? [] : result.reasons.map(({ commission_code }) => commission_code);

  it('has the code of the Commission where the structure is wrong', () => {
    const others = ['wrong root', 'UTF-16 without a byte order mark'];
    const structures = cases.filter(([title]) => !others.includes(title));
    for (const [title, result] of structures)
      expect([title, ...new Set(codesOf(result))]).toEqual([title, 'ERR-STRUCTURE-0003']);
  });

  it('has no code of the Commission where a rule of this service refuses', () => {
    const withDoctype = parse(productXml().replace('<Ecig', '<!DOCTYPE a><Ecig'));
    expect(codesOf(withDoctype)).toEqual([undefined]);
  });

  it('names every problem, not only the first', () => {
    const result = parse(
      productXml({
        edit: (xml) =>
          xml.replace('>7</ProductType>', '>0</ProductType>').replace(/<Design>[\s\S]*<\/Design>/, ''),
      }),
    );
    expect(reason(result)).toMatch(/ProductType "0" is unknown.*; Design is missing/);
  });
});

describe('accepted with a warning', () => {
  const cases: [title: string, result: ParseResult, expected: RegExp][] = [
    [
      'emptied Presentations (seen)',
      edited(/<Presentations>[\s\S]*<\/Presentations>/, '<Presentations/>'),
      /Presentations is empty \(Product\/Presentations, line \d+\)/,
    ],
    ['a market outside the list', edited('>SE<', '>NO<'), /NationalMarket "NO" is not a national market/],
    [
      'an unknown code elsewhere',
      edited('<ToxicityStatus confidential="false">1<', '<ToxicityStatus confidential="false">9<'),
      /ToxicityStatus "9" is not a known code \(0-2\)/,
    ],
    [
      'a date in another form',
      edited('>2126-01-01<', '>2126-1-1<'),
      /LaunchDate "2126-1-1" was read as 2126-01-01/,
    ],
    ['no such date', edited('>2126-01-01<', '>2126-02-30<'), /LaunchDate "2126-02-30" is not a date/],
    ['INF as a quantity', edited('>5000.50<', '>INF<'), /RecipeQuantity "INF" is not a finite number/],
    ['words as a quantity', edited('>5000.50<', '>much<'), /RecipeQuantity "much" is not a number/],
    [
      'a missing flag (seen)',
      edited('<BrandName confidential="false">', '<BrandName>'),
      /BrandName has no attribute confidential; treated as confidential/,
    ],
    [
      'a flag on a part of a company',
      edited(
        '<HasEnterer>false</HasEnterer>',
        '<HasEnterer>true</HasEnterer><Enterer confidential="false"><Name confidential="true">Me</Name></Enterer>',
      ),
      /Name has the unknown attribute "confidential" \(Submitter\/Enterer\/Name, line 7\)/,
    ],
    [
      'a flag on a presentation',
      edited('<Presentation>', '<Presentation confidential="true">'),
      /Presentation\[1\] has the unknown attribute "confidential"/,
    ],
    [
      'an unknown element',
      edited('<Design>', '<Extra>1</Extra><Design>'),
      /Product has the unknown element "Extra"/,
    ],
    [
      'another order (seen)',
      edited(/(<BrandName.*?<\/BrandName>)\s*(<BrandSubtypeNameExists.*?<\/BrandSubtypeNameExists>)/, '$2$1'),
      /another order/,
    ],
    [
      'an element that occurs twice',
      edited(/(<Volume.*?<\/Volume>)/, '$1$1'),
      /Volume occurs more than once/,
    ],
    ['a missing element', edited(/<BrandName.*?<\/BrandName>/, ''), /BrandName is missing/],
    [
      'a company with some of its parts',
      edited(
        '<HasParent>false</HasParent>',
        '<HasParent>true</HasParent><Parent confidential="false"><Name>Half</Name><Country>SE</Country></Parent>',
      ),
      /Parent lacks Address, PhoneNumber, Email, but a company has all of its parts or none \(Submitter\/Parent, line \d+\)/,
    ],
    [
      'a manufacturer with some of them',
      edited(
        '<ProductType ',
        '<Manufacturers><Manufacturer confidential="false"><Name>Half</Name></Manufacturer></Manufacturers><ProductType ',
      ),
      /Manufacturer\[1\] lacks Address, Country, PhoneNumber, Email, but/,
    ],
    [
      'an ID of another submitter',
      edited('submitterID="99962"', 'submitterID="11111"'),
      /does not begin with the submitter ID "11111"/,
    ],
    [
      'other products that are announced and missing',
      edited('OtherProductsExist confidential="true">false', 'OtherProductsExist confidential="true">true'),
      /OtherProducts is missing, but another field requires it \(Product\/OtherProducts\)/,
    ],
    [
      'products of the same composition that are announced and missing',
      edited(
        'SameCompositionProductsExist confidential="true">false',
        'SameCompositionProductsExist confidential="true">true',
      ),
      /SameCompositionProducts is missing, but .* \(Product\/SameCompositionProducts\)/,
    ],
    [
      'a CAS number that is announced and missing',
      edited(/<CasNumber .*<\/CasNumber>/g, '<CasNumberExists confidential="false">true</CasNumberExists>'),
      /CasNumber is missing, but .* \(Product\/Ingredients\/Ingredient\[1\]\/CasNumber\)/,
    ],
    [
      'a subtype name that is announced and empty',
      edited(
        /(<BrandSubtypeNameExists .*>)false(<.*)/,
        '$1true$2<BrandSubtypeName confidential="false"> </BrandSubtypeName>',
      ),
      /BrandSubtypeName is missing, but .* \(Product\/Presentations\/Presentation\[1\]\/BrandSubtypeName\)/,
    ],
    [
      'submitterId (seen)',
      edited('submitterID="99962"', 'submitterId="99962"'),
      /writes submitterId for submitterID/,
    ],
    [
      'HasAffiliate (seen)',
      edited(/HasAffiliates>/g, 'HasAffiliate>'),
      /HasAffiliates is written "HasAffiliate"/,
    ],
    [
      'too long a text',
      edited('>Brand<', `>${'x'.repeat(101)}<`),
      /BrandName .* is 101 characters long; at most 100/,
    ],
    [
      'a reference that is no UUID',
      edited('238d0f2d-5dd0-4f07-838e-24680cb37d51', 'nonsense'),
      /ProductionFile has the attachmentID "nonsense"/,
    ],
    [
      'a reference that holds others',
      edited(
        /<ProductionFile (.*)\/>/,
        '<ProductionFile $1><Attachment attachmentID="11111111-5dd0-4f07-838e-24680cb37d51"/></ProductionFile>',
      ),
      /ProductionFile has content, but a reference is empty \(Product\/Design\/ProductionFile, line 46\)/,
    ],
  ];
  it.each(cases)('%s', (_title, result, expected) => {
    expect(product(result).warnings.map(reasonText).join('\n')).toMatch(expected);
  });

  it('names a reference by the path and line of its element, in lists too', () => {
    const [one, two] = ['1', '2'].map((digit) => `${digit.repeat(8)}-5dd0-4f07-838e-24680cb37d51`);
    const { attachments } = product(
      edited(
        '</PackageUnits>',
        `</PackageUnits>
        <UnitPacketPictureFile attachmentID="${one}"/>
        <AnnualSalesDataList><AnnualSalesData>
          <Year confidential="false">2025</Year><SalesVolume confidential="false">1</SalesVolume>
          <SalesMode attachmentID="${two}"/>
        </AnnualSalesData></AnnualSalesDataList>`,
      ),
    );
    const presentation = 'Product/Presentations/Presentation[1]';
    expect(attachments).toMatchObject([
      { attachmentId: one, path: `${presentation}/UnitPacketPictureFile`, line: 26 },
      {
        attachmentId: two,
        path: `${presentation}/AnnualSalesDataList/AnnualSalesData[1]/SalesMode`,
        line: 29,
      },
      { path: 'Product/Design/ProductionFile' },
    ]);
  });

  it('counts the elements of a list, also those that are left out', () => {
    const reference = (id: string) => `<Attachment attachmentID="${id}"/>`;
    const files = [reference('none'), reference('238d0f2d-5dd0-4f07-838e-24680cb37d51')].join('');
    const { attachments } = product(
      edited('<Presentations>', `<StudySummaryFiles>${files}</StudySummaryFiles><Presentations>`),
    );
    expect(attachments[0]?.path).toBe('Product/StudySummaryFiles/Attachment[2]');
  });

  it('does not show confidential values', () => {
    const result = edited(
      '<BrandName confidential="false">Brand<',
      `<BrandName confidential="true">${'secret'.repeat(30)}<`,
    );
    const warnings = JSON.stringify(product(result).warnings);
    expect(warnings).toContain('BrandName (confidential) is 180 characters long');
    expect(warnings).not.toContain('secret');
  });
});

describe('tolerated without a warning', () => {
  const plain = productXml({ productId: '99962-26-00001' });
  const cases: [title: string, file: string | Buffer][] = [
    ['a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(plain)])],
    [
      'UTF-16 LE with a byte order mark',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(plain.replace('UTF-8', 'UTF-16'), 'utf16le')]),
    ],
    [
      'UTF-16 BE with a byte order mark',
      Buffer.concat([
        Buffer.from([0xfe, 0xff]),
        Buffer.from(plain.replace('UTF-8', 'UTF-16'), 'utf16le').swap16(),
      ]),
    ],
    [
      'declared ISO-8859-1',
      Buffer.from(plain.replace('UTF-8', 'ISO-8859-1').replace('>A bottle<', '>Fläschchen<'), 'latin1'),
    ],
    ['CDATA', plain.replace('>A bottle<', '><![CDATA[A <bottle> & more]]><')],
    ['comments', plain.replace('>7</ProductType>', '><!-- c -->7<!-- d --></ProductType>')],
    [
      'a namespace prefix',
      plain
        .replace(/<(\/?)(\w)/g, '<$1ns:$2')
        .replace('<ns:EcigProductSubmission>', '<ns:EcigProductSubmission xmlns:ns="urn:x">'),
    ],
    [
      'a default namespace',
      plain.replace('<EcigProductSubmission>', '<EcigProductSubmission xmlns="urn:x">'),
    ],
    ['padded codes', plain.replace('>7</ProductType>', '>\n   +07.0\n  </ProductType>')],
    ['dates with a zone', plain.replace('>2126-01-01<', '>2126-01-01+08:00<')],
    [
      'booleans in capitals and as digits',
      plain.replace('<HasParent>false<', '<HasParent>FALSE<').replace('<HasEnterer>false<', '<HasEnterer>0<'),
    ],
    [
      'a manufacturer that is an empty company',
      plain.replace(
        '<ProductType ',
        '<Manufacturers><Manufacturer confidential="true"><ProductionSiteAddresses><ProductionSiteAddress confidential="true"><Address>Street 1</Address><Country>SE</Country></ProductionSiteAddress></ProductionSiteAddresses></Manufacturer></Manufacturers><ProductType ',
      ),
    ],
    ['CRLF', plain.replace(/\n/g, '\r\n')],
    ['character references', plain.replace('>Brand<', '>&#66;r&#x61;nd &amp; Co<')],
  ];
  it.each(cases)('%s', (_title, file) => {
    const read = product(parse(file));
    expect(read.warnings).toEqual([]);
    expect(read).toMatchObject({ productId: '99962-26-00001', productTypeCode: 7 });
  });

  it.each([
    ['ISO-8859-1', 0x93, '\u0093'],
    ['cp819', 0x93, '\u0093'],
    ['iso-ir-100', 0x93, '\u0093'],
    ['windows-1252', 0x93, '“'],
    ['ISO-8859-9', 0x93, '\u0093'],
    ['latin5', 0xfe, 'ş'],
    ['windows-1254', 0x93, '“'],
    ['ISO-8859-15', 0xa4, '€'],
    ['us-ascii', 0x7a, 'z'],
  ])('%s is the declared encoding and no similar one', (encoding, byte, expected) => {
    const file = `<?xml version="1.0" encoding="${encoding}"?><a>${String.fromCharCode(byte)}</a>`;
    expect(decodeXml(Buffer.from(file, 'latin1'))).toMatch(new RegExp(`<a>${expected}</a>$`));
  });

  it.each([
    ['with an apostrophe', "<?note maker's?>"],
    ['with two apostrophes and a bracket', "<?note 'maker's > <b>?>"],
    ['with a quotation mark', '<?note 5"?>'],
  ])('keeps the text around processing instructions %s', (_title, note) => {
    const { warnings, sections } = product(edited('>5000.50<', `>5${note}000<![CDATA[.]]>${note}50<`));
    expect(warnings).toEqual([]);
    expect(sections.ingredients).toMatchObject({ Ingredients: [{ RecipeQuantity: { value: '5000.50' } }] });
  });

  it('keeps what looks like a processing instruction in CDATA', () => {
    const { sections } = product(edited('>A bottle<', "><!-- <? --><![CDATA[<?a it's?>]]><"));
    expect(sections.design).toMatchObject({ Design: { Description: { value: "<?a it's?>" } } });
  });

  it('keeps leading zeros and long numbers as text', () => {
    const read = product(edited('>5000.50<', '>0012345678901234567890.100<'));
    expect(JSON.stringify(read.sections.ingredients)).toContain('"0012345678901234567890.100"');
  });
});

describe('the hash of the content', () => {
  const hashes = (xml: string) => {
    const result = parse(xml);
    if (!result.ok) throw new Error(reasonsText(result.reasons));
    return result.sectionHashes;
  };
  const plain = productXml({ productId: '99962-26-00001' });

  it('does not depend on how the XML is written', () => {
    const written = plain.replace('>7</ProductType>', '> 07 </ProductType>').replace(/\n\s*/g, '\n\n\t');
    expect(hashes(written)).toEqual(hashes(plain));
  });

  it('changes only in the changed section', () => {
    const changed = hashes(plain.replace('>Brand<', '>Brand 2<'));
    const before = hashes(plain);
    expect(changed.product_presentation).not.toBe(before.product_presentation);
    expect({ ...changed, product_presentation: '' }).toEqual({ ...before, product_presentation: '' });
  });
});
