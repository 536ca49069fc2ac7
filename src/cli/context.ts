/** What every command works with. */
import { type ApiClient, createApiClient } from '../client/api-client.ts';
import type { Retry, RetryPolicy } from '../client/retrying.ts';
import { messageOf } from '../domain/errors.ts';
import type { GlobalOptions } from './connection.ts';
import { durationText } from './measures.ts';
import type { Outcome } from './outcome.ts';
import type { Progress } from './progress.ts';
import { type Screen, widthOf } from './screen.ts';

export interface Context {
  client: ApiClient;
  progress: Progress;
  options: GlobalOptions;
  /** Of tables; undefined where nothing limits it. */
  width: number | undefined;
  /** Says that something is tried again. */
  onRetry(retry: Retry): void;
}

/** Makes of a command's work the action that commander calls with its arguments and options. */
export type Act = <A extends unknown[]>(
  run: (context: Context, ...args: A) => Promise<Outcome>,
) => (...args: A) => Promise<void>;

export interface ContextOptions {
  options: GlobalOptions;
  screen: Screen;
  progress: Progress;
  version: string;
  retries: RetryPolicy | undefined;
  signal: AbortSignal;
}

export function createContext({
  options,
  screen,
  progress,
  version,
  retries,
  signal,
}: ContextOptions): Context {
  const { gateway, tokenUrl, clientId, clientSecret, scope, audience } = options;
  const onRetry = ({ error, pauseMs, next, tries }: Retry) =>
    progress.note(
      `${messageOf(error)} Trying again in ${durationText(pauseMs / 1000)} (try ${next} of ${tries}).`,
    );
  const client = createApiClient({
    ...{ gatewayUrl: gateway, tokenUrl, clientId, clientSecret, scope, audience },
    ...{ userAgent: `package-import/${version}`, retries, onRetry, signal },
  });
  return { client, progress, options, width: widthOf(screen.stdout), onRetry };
}
