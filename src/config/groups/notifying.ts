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
      'Recipient of the summary of an upload that names no address. Not set: nobody.',
    ),
    digests: variable(
      'MAIL_DIGESTS',
      digests,
      '',
      'Recipients of one mail a day about the imports of a client: client=address, with commas between; several addresses of a client with blanks: spring-client=a@company.example b@company.example. Not set: nobody.',
    ),
    webhookHosts: variable(
      'WEBHOOK_HOSTS',
      hosts,
      '',
      'Hosts that clients may have the end of their imports told to, by https, with commas between, each with its port where that is not 443: hooks.company.example, other.example:8443. The same for gateways and workers. Not set: no webhooks.',
    ),
  },
};
