/** Allowed addresses of messages: only listed hosts, by https, and this machine only in a local service. */
import { expect, it } from 'vitest';
import { webhookUrlFault } from '../../src/domain/webhook.ts';

const hosts = ['hooks.company.example', 'other.example:8443', 'localhost:3000', '127.0.0.1'];
const open = { hosts, loopback: false };
const local = { hosts, loopback: true };

it.each([
  ['https://hooks.company.example/a?b=c', open],
  ['https://HOOKS.company.example:443/', open],
  ['https://other.example:8443/', open],
  ['http://localhost:3000/', local],
  ['https://127.0.0.1/', local],
])('%s is allowed', (url, rules) => {
  expect(webhookUrlFault(url, rules)).toBeNull();
});

it.each([
  ['http://hooks.company.example/', local, 'https'],
  ['http://localhost:3000/', open, 'https'],
  ['https://localhost:3000/', open, 'do not allow'],
  ['https://hooks.company.example:8443/', open, 'do not allow'],
  ['https://other.example/', open, 'do not allow'],
  ['https://hooks.company.example.evil.example/', open, 'do not allow'],
  ['https://evil.example/?hooks.company.example', open, 'do not allow'],
  ['https://2130706433/', local, null],
  ['https://0x7f.1/', open, 'do not allow'],
  ['https://me:secret@hooks.company.example/', open, 'password'],
  ['https://hooks.company.example/#part', open, 'fragment'],
  ['file:///etc/passwd', open, 'https'],
  ['/relative', open, 'absolute'],
  [`https://hooks.company.example/${'x'.repeat(2_000)}`, open, '2000 characters'],
  ['https://hooks.company.example/', { hosts: [], loopback: true }, 'do not allow'],
])('%s is judged', (url, rules, reason) => {
  const fault = webhookUrlFault(url, rules);
  if (reason === null) expect(fault).toBeNull();
  else expect(fault).toContain(reason);
});
