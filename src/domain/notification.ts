/** The summary e-mail of an import (interface §3.2). */
export const NOTIFICATION_STATUSES = ['pending', 'sending', 'sent', 'error'] as const;

export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number];

/** `sent` is final; `error` is not: the next try moves it to `sending` again. */
export const NOTIFICATION_TRANSITIONS: Readonly<Record<NotificationStatus, readonly NotificationStatus[]>> = {
  pending: ['sending'],
  sending: ['sending', 'sent', 'error'],
  sent: [],
  error: ['sending'],
};

/** Addresses that one summary may go to. */
export const MAX_RECIPIENTS = 10;

/** `a@company.example, b@company.example`: each once, in their order. An address has no comma in it. */
export function addressesIn(text: string): string[] {
  const addresses = text.split(',').map((address) => address.trim());
  return [...new Set(addresses.filter((address) => address !== ''))];
}

/** As `addressesIn` reads them. */
export function joinAddresses(addresses: readonly string[]): string {
  return addresses.join(', ');
}
