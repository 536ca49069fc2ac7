import { z } from 'zod';
import { digests, hosts, url } from '../kinds.ts';
import { optional, variable } from '../variable.ts';

export const notifying = {
  title: 'Mail and webhooks',
  variables: {
    smtpUrl: optional(
      'SMTP_URL',
      url('smtp:', 'smtps:'),
      'Mail server, smtp://user:password@host:port or smtps://… Not set: the embedded mailbox.',
    ),
    from: variable('MAIL_FROM', z.email(), 'package-import@company.example', 'Sender of the summaries.'),
    defaultRecipient: optional(
      'DEFAULT_NOTIFICATION_EMAIL',
      z.email(),
      'Default recipient of summaries, for uploads that name no address. Not set: no mail.',
    ),
    digests: variable(
      'MAIL_DIGESTS',
      digests,
      '',
      'Recipients of the digest, one mail a day about the imports of a client: client=address, separated by commas. Several addresses of a client are separated by spaces: spring-client=a@company.example b@company.example. Not set: no digests.',
    ),
    webhookHosts: variable(
      'WEBHOOK_HOSTS',
      hosts,
      '',
      'Hosts to which webhooks may be sent, by https, separated by commas. A host has its port unless that is 443: hooks.company.example, other.example:8443. Gateways and workers need the same value. Not set: no webhooks.',
    ),
  },
};
