/** The summary e-mail of an import (interface §3.2). */
import type { NotificationStatus } from '../contract/statuses.ts';

/** `sent` is final; `error` is not: the next try moves it to `sending` again. */
export const NOTIFICATION_TRANSITIONS: Readonly<Record<NotificationStatus, readonly NotificationStatus[]>> = {
  pending: ['sending'],
  sending: ['sending', 'sent', 'error'],
  sent: [],
  error: ['sending'],
};
