/** `Presentations`: how the product is sold, market by market (package format §3). */
import { type Context, dayOf, daysAfter, quantity, tradeItemNumber } from './context.ts';
import { BRANDS, COLOURS, DEVICES, FLAVOURS, MARKETS, NATIONAL_COMMENTS } from './data.ts';
import {
  boolean,
  type Content,
  date,
  double,
  group,
  integer,
  list,
  reference,
  text,
  word,
  year,
} from './nodes.ts';
import type { Random } from './random.ts';

/** Notified half a year before they are launched; everything else is on the market. */
const NEW_PRODUCTS = [1, 2];
const PRESENTATION_ADDED = 3;
const WITHDRAWN = 4;
const ANNUAL_DATA = 6;

export function presentations(context: Context): Content {
  const { random, plan } = context;
  const fewest = plan.submissionType === PRESENTATION_ADDED ? 2 : 1;
  const count = random.pick([1, 1, 1, random.int(2, 3), random.int(2, 3), random.int(4, 8)]);
  const brand = random.pick(BRANDS);
  const markets = random.sample(MARKETS, Math.max(fewest, count));
  return list(
    'Presentation',
    markets.map((market) => presentation(context, market, brand)),
  );
}

function presentation(context: Context, market: string, brand: string): Content {
  const { random, plan, attach } = context;
  const isNew = NEW_PRODUCTS.includes(plan.submissionType);
  const since = isNew ? Number(plan.on.slice(0, 4)) + 1 : plan.year + random.int(0, 1);
  const launch = isNew ? daysAfter(plan.on, random.int(190, 540)) : dayOf(random, since);
  const withdrawn = random.chance(plan.submissionType === WITHDRAWN ? 0.8 : 0.1);
  const hasSubtype = random.chance(0.7);
  const numberType = random.pick(['SUBMITTER', 'UPC', 'EAN', 'GTIN', 'SKU'] as const);
  const hasSales = plan.submissionType === ANNUAL_DATA || random.chance(0.35);
  return group({
    NationalMarket: word(market),
    NationalComment: random.chance(0.4) && text(random.pick(NATIONAL_COMMENTS)),
    BrandName: text(random.chance(0.5) ? brand : `${brand} ${random.pick(DEVICES)}`),
    BrandSubtypeNameExists: boolean(hasSubtype),
    BrandSubtypeName: hasSubtype && text(subtypeName(context)),
    LaunchDate: date(launch),
    WithdrawalIndication: boolean(withdrawn),
    WithdrawalDate: withdrawn && date(dayOf(random, since + 3)),
    ProductNumberType: word(numberType),
    ProductNumber: text(PRODUCT_NUMBERS[numberType](random)),
    PackageUnits: integer(random.pick([1, 1, 1, random.int(2, 10), random.int(11, 500)])),
    UnitPacketPictureFile: random.chance(0.6) && reference(attach()),
    AnnualSalesDataList: hasSales && salesData(context, since),
  });
}

function subtypeName({ random, holdsLiquid }: Context): string {
  if (!holdsLiquid) return random.pick(COLOURS);
  const flavour = random.pick(FLAVOURS);
  return random.chance(0.5) ? flavour : `${flavour} ${random.pick([3, 6, 9, 12, 16, 18, 20])} mg/ml`;
}

const PRODUCT_NUMBERS = {
  SUBMITTER: (random: Random) => random.digits(7),
  UPC: (random: Random) => tradeItemNumber(random, 12),
  EAN: (random: Random) => tradeItemNumber(random, 13),
  GTIN: (random: Random) => tradeItemNumber(random, 14),
  SKU: (random: Random) => `SKU-${random.digits(3)}-${random.pick(['BLK', 'MNT', '20', '00'])}`,
};

/** Sales of the first one to three years. */
function salesData({ random, attach }: Context, since: number): Content {
  const years = Array.from({ length: random.int(1, 3) }, (_, index) =>
    group({
      Year: year(since + index),
      SalesVolume: double(random.chance(0.1) ? '0' : quantity(random, random.int(2, 6))),
      SalesMode: random.chance(0.3) && reference(attach()),
    }),
  );
  return list('AnnualSalesData', years);
}
