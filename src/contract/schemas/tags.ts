/** The groups of routes, in the order of the API description. */
export const TAGS = {
  'Package imports': 'Uploads of packages, and their results',
  Submissions: 'Products of packages, and their state at the regulator',
  Webhooks: 'Messages to a client at the end of its imports',
  Statistics: 'Number and duration of imports by day',
  'Regulator session': "The service's login with the regulator, which every import requires",
  Inserting: 'Pausing and resuming all inserts, for operators',
  'Audit trail': 'Actions with their actors and times, for operators',
  Health: 'Checks for orchestrators and load balancers',
} as const;

export type Tag = keyof typeof TAGS;
