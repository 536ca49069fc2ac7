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
