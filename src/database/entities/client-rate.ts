import { defineEntity, p } from '@mikro-orm/core';

/**
 * How much of a rate a client has used in the present window. The columns, and their order, are those that
 * rate-limiter-flexible writes to.
 */
export const ClientRate = defineEntity({
  name: 'ClientRate',
  tableName: 'client_rate',
  properties: {
    /** `<rate>:<client id>` */
    key: p.text().primary(),
    points: p.integer().default(0),
    /** End of the window, in Unix milliseconds. */
    expire: p.bigint('number').nullable(),
  },
});
