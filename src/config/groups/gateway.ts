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
      'Address that the gateway listens on. The image listens on 0.0.0.0. With Docker Compose, the address on this machine that all ports are opened on; 0.0.0.0 opens them to the network.',
    ),
    port: optional(
      'PORT',
      port,
      'Port of the gateway; with Docker Compose, of the load balancer in front of it. Not set: 8080, moved by PORT_OFFSET.',
    ),
    portOffset: variable(
      'PORT_OFFSET',
      z.coerce.number().int().min(0).max(MAX_PORT_OFFSET),
      '0',
      'Number that is added to the default of PORT and to the ports of the embedded parts of `npm start`, so that a second checkout runs beside the first: with 10000, the gateway has 18080 and the Temporal Web UI 18233 in place of 8233.',
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
      'Address at which clients reach the gateway, BASE_PATH included, such as https://import.example/api. Summary e-mails link to the result and the repair pack, lists to their next page, answers to uploads to their import. Not set: no links in mails, and paths without a host in answers.',
    ),
    trustedProxies: variable(
      'TRUSTED_PROXIES',
      z.coerce.number().int().min(0).max(10),
      '0',
      'Number of proxies in front, one behind the other, whose X-Forwarded-For and X-Forwarded-Proto are true. With any, answers to requests that came by https also say that the host is reached by https only (HSTS).',
    ),
    maxUploadBytes: variable('MAX_UPLOAD_MB', megabytes, '2048', 'Largest ZIP, in MB of 1024 × 1024 bytes.'),
  },
};

export const quotas = {
  title: 'Clients',
  about: 'Of one client, over all gateways together. The gateway answers 429 beyond them. 0: no limit.',
  variables: {
    requestsPerMinute: variable('CLIENT_REQUESTS_PER_MINUTE', count, '6000', 'Requests per minute.'),
    uploadsAtOnce: variable(
      'CLIENT_UPLOADS_AT_ONCE',
      count,
      '32',
      'Uploads at the same time, dry runs included, each from its first byte to its answer.',
    ),
    recipientDomains: variable(
      'MAIL_RECIPIENT_DOMAINS',
      domains,
      '',
      'Domains to which clients may have summaries sent, with commas between. Not set: all.',
    ),
  },
};
