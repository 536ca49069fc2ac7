/** Sends one mail per day and client about all imports of the client (decision §mails). */
import { Context, log } from '@temporalio/activity';
import { MailRefused } from '../src/domain/errors.ts';
import { digestMessageId, renderDigest } from '../src/notifications/mail/digest.ts';
import { heartbeating } from './activity-context.ts';
import { continueOnError } from './batching.ts';
import type { ImportDependencies } from './dependencies.ts';

/** Numbers of mails. */
interface DigestResult {
  sent: number;
  /** Mails that the mail server refused for good. */
  refused: number;
}

/** Imports that one mail lists. */
const ROWS = 200;

type Dependencies = Pick<ImportDependencies, 'mailer' | 'mailDomain' | 'digests' | 'importScreen'> & {
  database: Pick<ImportDependencies['database'], 'digests'>;
};

export function createSendDigests({ database, mailer, mailDomain, digests, importScreen }: Dependencies) {
  /**
   * Sends no mail to a client without imports on that day. A failed attempt continues where it stopped. A lost attempt
   * may send a mail again, under the same Message-ID.
   *
   * @param day UTC, as 2026-01-31
   */
  return async function sendDigests({ day }: { day: string }): Promise<DigestResult> {
    const before = Context.current().info.heartbeatDetails as Progress | undefined;
    const progress: Progress = before ?? { done: [], sent: 0, refused: 0 };
    const pending = digests.filter(({ clientId }) => !progress.done.includes(clientId));
    await heartbeating(async (report) => {
      report(progress);
      await continueOnError(pending, async ({ clientId, addresses }) => {
        const outcome = await send(clientId, addresses, day);
        if (outcome !== 'empty') progress[outcome] += 1;
        progress.done.push(clientId);
        report(progress);
      });
    });
    return { sent: progress.sent, refused: progress.refused };
  };

  async function send(
    clientId: string,
    to: readonly string[],
    day: string,
  ): Promise<'sent' | 'refused' | 'empty'> {
    const found = await database.digests.ofDay(clientId, day, ROWS);
    if (found.total === 0) return 'empty';
    const content = renderDigest({ clientId, day, ...found }, importScreen);
    try {
      const { refused } = await mailer.send({
        to,
        ...content,
        messageId: digestMessageId(clientId, day, mailDomain),
      });
      if (refused.length > 0) warn(clientId, `${refused.length} of ${to.length} addresses refused`);
      return 'sent';
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error;
      warn(clientId, error.message);
      return 'refused';
    }
  }
}

/** No record has the refusal of a digest, so the log has it. Addresses are personal: the mail server's log has those. */
function warn(clientId: string, reason: string): void {
  log.warn('The mail server refused a digest', { client_id: clientId, reason });
}

interface Progress extends DigestResult {
  done: string[];
}
