import { defineEntity, p } from '@mikro-orm/core';

/**
 * Points that a client has used in the present window of a rate limit. rate-limiter-flexible defines the columns and
 * their order.
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
