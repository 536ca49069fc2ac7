/** Metrics of the workers: activities, calls to the regulator, its session, and mails. */

import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { INSERT_STEPS } from '../contract/steps.ts';
import { MailRefused } from '../domain/errors.ts';
import type { Mailer } from '../notifications/mail/mailer.ts';
import type { SendRequest } from '../regulator/send.ts';
import type { RegulatorSessions } from '../regulator/session.ts';
import { DURATION_BUCKETS, gaugesOf, operationOf } from './metrics.ts';

interface WorkerMetrics {
  activities: ActivityInterceptorsFactory;
  /** Measures calls to the regulator. */
  measureRegulator(send: SendRequest): SendRequest;
  /** Wraps the mailer. */
  measureMails(mailer: Mailer): Mailer;
}

/** Outcomes of failures with a type (activities/failure-mapping.ts). Other failures are `failed`. */
const OUTCOMES: Readonly<Record<string, string>> = {
  RegulatorSessionRequired: 'no_session',
  RegulatorRateLimited: 'rate_limited',
  RegulatorUnavailable: 'unavailable',
  RegulatorRejection: 'rejected',
};

const STEPS: readonly string[] = INSERT_STEPS;

/** The activities that schedules start. */
const SCHEDULED = ['reconcile', 'countDays', 'applyRetention', 'sendDigests'];

export function createWorkerMetrics(
  registry: Registry,
  sessions: Pick<RegulatorSessions, 'state'>,
): WorkerMetrics {
  const registers = [registry];
  let stepsUnderWay = 0;
  const activities = new Histogram({
    name: 'package_import_activity_duration_seconds',
    help: 'Duration of attempts of activities, including the six steps of an insert, by outcome: completed, rejected (by the regulator), no_session, rate_limited, unavailable (the regulator), cancelled, failed',
    labelNames: ['activity', 'outcome'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const regulator = new Histogram({
    name: 'package_import_regulator_request_duration_seconds',
    help: 'Duration of calls to the regulator by operation and status; "none" if there was no answer',
    labelNames: ['operation', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const mails = new Counter({
    name: 'package_import_mails_total',
    help: 'Attempts to send a mail (summary or digest) by outcome: sent, refused (permanently), unavailable (the mail server)',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of ['sent', 'refused', 'unavailable']) mails.inc({ outcome }, 0);
  // Prometheus sees no increase in the first value of a series.
  for (const activity of SCHEDULED) activities.zero({ activity, outcome: 'completed' });
  const session = gaugesOf(registry, () => sessions.state());
  session(
    'package_import_regulator_session_active',
    '1 while there is an active regulator session, else 0',
    ({ status }) => (status === 'active' ? 1 : 0),
  );
  session(
    'package_import_regulator_session_remaining_seconds',
    'Time until the regulator session ends, unless it is renewed; 0 without a session',
    ({ status, expiresAt }) => {
      const remainingMs = status === 'active' && expiresAt ? expiresAt.getTime() - Date.now() : 0;
      return Math.max(0, remainingMs / 1000);
    },
  );
  session(
    'package_import_steps_waiting_for_session',
    'Steps of this worker that wait for a login',
    ({ status }) => (status === 'active' ? 0 : stepsUnderWay),
  );

  return {
    activities: ({ info: { activityType } }) => ({
      inbound: {
        async execute(input, next) {
          const weight = STEPS.includes(activityType) ? 1 : 0;
          const observe = activities.startTimer({ activity: activityType });
          stepsUnderWay += weight;
          let outcome = 'completed';
          try {
            return await next(input);
          } catch (error) {
            outcome = outcomeOf(error);
            throw error;
          } finally {
            stepsUnderWay -= weight;
            observe({ outcome });
          }
        },
      },
    }),

    measureRegulator: (send) => async (request) => {
      const observe = regulator.startTimer({ operation: operationOf(request) });
      let status = 'none';
      try {
        const response = await send(request);
        status = String(response.status);
        return response;
      } finally {
        observe({ status });
      }
    },

    measureMails: (mailer) => ({
      ...mailer,
      async send(mail) {
        let outcome = 'sent';
        try {
          return await mailer.send(mail);
        } catch (error) {
          outcome = error instanceof MailRefused ? 'refused' : 'unavailable';
          throw error;
        } finally {
          mails.inc({ outcome });
        }
      },
    }),
  };
}

function outcomeOf(error: unknown): string {
  if (error instanceof CancelledFailure || (error as Error)?.name === 'AbortError') return 'cancelled';
  return (error instanceof ApplicationFailure && OUTCOMES[error.type ?? '']) || 'failed';
}
