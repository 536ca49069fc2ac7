import { integer, limit, text, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

export const regulator = {
  title: 'Regulator',
  variables: {
    url: optional(
      'REGULATOR_URL',
      url('http:', 'https:'),
      "URL of the regulator's API. Not set: the embedded simulator.",
    ),
    username: variable(
      'REGULATOR_USERNAME',
      text,
      'importer@company.example',
      "User name of the service's account at the regulator. The simulator mails its verification codes to this address.",
    ),
    password: variable('REGULATOR_PASSWORD', text, 'demo-password', 'Password of that account.'),
    concurrency: variable(
      'REGULATOR_CONCURRENCY',
      integer,
      '20',
      'Maximum number of products whose steps run at the same time, over all workers together.',
    ),
    ratePerSecond: variable(
      'REGULATOR_RATE_PER_SECOND',
      limit,
      '50',
      'Maximum number of calls to the regulator per second, over all workers together. A product takes 7 calls, and one more for each attachment. 0: no limit.',
    ),
  },
};
