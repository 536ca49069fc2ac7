import { z } from 'zod';
import { count, domains, megabytes, port, text, url } from '../kinds.ts';
import { MAX_PORT_OFFSET } from '../ports.ts';
import { optional, variable } from '../variable.ts';

export const gateway = {
  title: 'Gateway',
  variables: {
    host: variable(
      'HOST',
      text,
      '127.0.0.1',
      'Address that the gateway listens on. The container image sets 0.0.0.0. With Docker Compose: the address of this machine on which the load balancer is published; 0.0.0.0 opens it to the network. The ports of all other parts stay on 127.0.0.1.',
    ),
    port: optional(
      'PORT',
      port,
      'Port of the gateway. With Docker Compose: port of the load balancer in front of it. Not set: 8080 plus PORT_OFFSET.',
    ),
    portOffset: variable(
      'PORT_OFFSET',
      z.coerce.number().int().min(0).max(MAX_PORT_OFFSET),
      '0',
      'Number that is added to the default of PORT and to the ports of the embedded parts of `npm start`. It lets a second checkout run beside the first. With 10000, the gateway has port 18080, and the Temporal Web UI has 18233 instead of 8233.',
    ),
    basePath: variable(
      'BASE_PATH',
      text.regex(/^(?:\/[\w.~-]+)*$/, 'must be empty or a path like /api'),
      '',
      'Path prefix of every route, such as /api.',
    ),
    publicUrl: optional(
      'PUBLIC_URL',
      url('http:', 'https:'),
      'Public URL of the gateway, including BASE_PATH, such as https://import.example/api. Summary e-mails link to the result and the repair pack. Lists link to their next page, and answers to uploads to their import. Not set: mails have no links, and links in answers are paths without a host.',
    ),
    trustedProxies: variable(
      'TRUSTED_PROXIES',
      z.coerce.number().int().min(0).max(10),
      '0',
      'Number of trusted proxies in front of the gateway, one behind the other. The gateway trusts their X-Forwarded-For and X-Forwarded-Proto. If it is not 0, answers to https requests have the header Strict-Transport-Security (HSTS).',
    ),
    maxUploadBytes: variable(
      'MAX_UPLOAD_MB',
      megabytes,
      '2048',
      'Maximum size of a ZIP, in MB of 1024 × 1024 bytes.',
    ),
  },
};

export const quotas = {
  title: 'Clients',
  about:
    'Quotas of one client, over all gateways together. Beyond them the gateway answers 429. 0: no limit.',
  variables: {
    uploadsAtOnce: variable(
      'CLIENT_UPLOADS_AT_ONCE',
      count,
      '32',
      'Concurrent uploads, including dry runs. An upload counts from its first byte to its answer.',
    ),
    recipientDomains: variable(
      'MAIL_RECIPIENT_DOMAINS',
      domains,
      '',
      'Domains to which clients may send summaries, separated by commas; * for any domain. Not set: any domain. A gateway that is open to other machines does not start without it.',
    ),
  },
};
