/** The groups of routes, in the order of the API description. */
export const TAGS = {
  'Package imports': 'Uploading packages, and what became of them',
  Submissions: 'Products of packages: what is sent to the regulator of each, and how far it is',
  Webhooks: 'Messages to a client about the end of its imports',
  Statistics: 'How much was imported, day by day, and how long it took',
  'Regulator session': "The service's own login with the regulator, without which nothing is imported",
  Inserting: 'Whether products are being sent to the regulator; for operators',
  'Audit trail': 'Who did what and when; for operators',
  Health: 'For orchestrators and load balancers',
} as const;

export type Tag = keyof typeof TAGS;
