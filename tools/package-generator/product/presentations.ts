/** `Presentations`: how the product is sold, market by market (package format §3). */
import { BRANDS, DEVICES, FLAVOURS, NATIONAL_COMMENTS } from '../data/brands.ts';
import { MARKETS } from '../data/markets.ts';
import type { Random } from '../random.ts';
import { group, list, reference, type XmlGroup } from '../xml/nodes.ts';
import type { ProductContext } from './context.ts';
import { dayOf, quantity, soonAfter, tradeItemNumber } from './quantities.ts';

/** Notified half a year before they are launched; everything else is on the market. */
const NEW_PRODUCTS = [1, 2];
const PRESENTATION_ADDED = 3;
const WITHDRAWN = 4;
const ANNUAL_DATA = 6;

export function presentations(context: ProductContext): XmlGroup {
  const { random, plan } = context;
  const fewest = plan.submissionType === PRESENTATION_ADDED ? 2 : 1;
  const count = random.weighted([
    [1, 40],
    [random.int(2, 3), 35],
    [random.int(4, 8), 25],
  ]);
  const brand = random.pick(BRANDS);
  return list(
    'Presentations',
    random.sample(MARKETS, Math.max(fewest, count)).map((market) => presentation(context, market, brand)),
  );
}

function presentation(context: ProductContext, market: string, brand: string): XmlGroup {
  const { random, plan, attach, text, word, boolean, date, integer } = context;
  const isNew = NEW_PRODUCTS.includes(plan.submissionType);
  const year = isNew ? Number(plan.on.slice(0, 4)) + 1 : plan.year + random.int(0, 1);
  const launch = isNew ? soonAfter(random, plan.on) : dayOf(random, year);
  const withdrawn = random.chance(plan.submissionType === WITHDRAWN ? 0.8 : 0.1);
  const subtype = random.chance(0.7) ? subtypeName(context) : undefined;
  const numberType = random.pick(['SUBMITTER', 'UPC', 'EAN', 'GTIN', 'SKU']);
  const comment = random.chance(0.4) ? NATIONAL_COMMENTS[market] : undefined;
  return group('Presentation', [
    word('NationalMarket', market),
    comment !== undefined && text('NationalComment', comment),
    text('BrandName', brandName(random, brand)),
    boolean('BrandSubtypeNameExists', subtype !== undefined),
    subtype !== undefined && text('BrandSubtypeName', subtype),
    date('LaunchDate', launch),
    boolean('WithdrawalIndication', withdrawn),
    withdrawn && date('WithdrawalDate', dayOf(random, year + 3)),
    word('ProductNumberType', numberType),
    text('ProductNumber', productNumber(random, numberType, brand)),
    integer(
      'PackageUnits',
      random.weighted([
        [1, 60],
        [random.int(2, 10), 30],
        [random.int(11, 500), 10],
      ]),
    ),
    random.chance(0.6) && reference('UnitPacketPictureFile', attach()),
    salesData(context, year),
  ]);
}

function brandName(random: Random, brand: string): string {
  return random.chance(0.5) ? brand : `${brand} ${random.pick(DEVICES)}`;
}

function subtypeName({ random, holdsLiquid }: ProductContext): string {
  if (!holdsLiquid)
    return random.pick(['Black', 'Gun Metal', 'Rosé', 'Kék', 'Μπλε', 'Синьо', 'Limited "Ed." 2']);
  const flavour = random.pick(FLAVOURS);
  return random.chance(0.5) ? flavour : `${flavour} ${random.pick([3, 6, 9, 12, 16, 18, 20])} mg/ml`;
}

function productNumber(random: Random, type: string, brand: string): string {
  if (type === 'EAN') return tradeItemNumber(random, 13);
  if (type === 'UPC') return tradeItemNumber(random, 12);
  if (type === 'GTIN') return tradeItemNumber(random, 14);
  const letters =
    brand
      .replace(/[^A-Za-z]/g, '')
      .slice(0, 3)
      .toUpperCase() || 'XYZ';
  return type === 'SKU'
    ? `${letters}-${random.digits(3)}-${random.pick(['BLK', 'MNT', '20', '00'])}`
    : random.digits(7);
}

/** Sales of the first one to three years. Annual submissions always have them. */
function salesData(
  { random, plan, attach, year, double }: ProductContext,
  since: number,
): XmlGroup | undefined {
  if (plan.submissionType !== ANNUAL_DATA && random.chance(0.65)) return undefined;
  const years = Array.from({ length: random.int(1, 3) }, (_, index) => since + index);
  return list(
    'AnnualSalesDataList',
    years.map((sold) =>
      group('AnnualSalesData', [
        year('Year', sold),
        double('SalesVolume', random.chance(0.1) ? '0' : quantity(random, random.int(2, 6))),
        random.chance(0.3) && reference('SalesMode', attach()),
      ]),
    ),
  );
}
