// The body of the message is stdin. Exits with 0 if it is from the service, otherwise with 1.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** @param headers with lowercase names  @param body exactly as received, before it is parsed */
export function isGenuine(headers, body, secret, now = Date.now() / 1000) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given = '' } = headers;
  // A message that is recorded and sent again later is refused.
  if (!(Math.abs(now - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // Two signatures while the secret is rotated.
  return given.split(' ').some((one) => {
    const signature = Buffer.from(one.replace('v1,', ''), 'base64');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

const { WEBHOOK_ID, WEBHOOK_TIMESTAMP, WEBHOOK_SIGNATURE, WEBHOOK_SECRET } = process.env;
const headers = {
  'webhook-id': WEBHOOK_ID,
  'webhook-timestamp': WEBHOOK_TIMESTAMP,
  'webhook-signature': WEBHOOK_SIGNATURE,
};
process.exitCode = isGenuine(headers, readFileSync(0), WEBHOOK_SECRET) ? 0 : 1;
