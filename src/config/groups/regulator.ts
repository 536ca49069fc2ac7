import { integer, positive, text, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

export const regulator = {
  title: 'Regulator',
  variables: {
    url: optional('REGULATOR_URL', url('http:', 'https:'), "The regulator's API. Not set: the simulator."),
    username: variable(
      'REGULATOR_USERNAME',
      text,
      'importer@company.example',
      "The service's own account there. With the simulator, also the address that codes are mailed to.",
    ),
    password: variable('REGULATOR_PASSWORD', text, 'demo-password', 'Its password.'),
    concurrency: variable(
      'REGULATOR_CONCURRENCY',
      integer,
      '20',
      'Products whose steps are sent at the same time, by all workers together.',
    ),
    ratePerSecond: optional(
      'REGULATOR_RATE_PER_SECOND',
      positive,
      'Calls per second of all workers together. Not set: no limit.',
    ),
  },
};
