/** The context that every command gets. */
import { formatDuration } from '../src/common/measures.ts';
import type { Retry, RetryPolicy } from '../src/common/retrying.ts';
import { messageOf } from '../src/common/text.ts';
import { type ApiClient, createApiClient } from './client/api-client.ts';
import { type PackageImports, packageImportsOf } from './client/package-imports.ts';
import { clearTextWarnings, type GlobalOptions, tokenOptionsOf } from './connection.ts';
import type { Outcome } from './outcome.ts';
import type { ProfileStore } from './profiles.ts';
import type { Progress } from './progress.ts';
import type { Screen } from './screen.ts';

/** The context of a command that works on this machine alone. */
export interface LocalContext {
  options: GlobalOptions;
  profiles: ProfileStore;
  screen: Screen;
  progress: Progress;
  /** Width of tables; undefined for no limit. */
  width: number | undefined;
  /** Aborted when the command is stopped. */
  signal: AbortSignal;
}

export interface Context extends LocalContext {
  client: ApiClient;
  /** The operations on imports that need more than a call of the client. */
  imports: PackageImports;
}

type Run<C, A extends unknown[]> = (context: C, ...args: A) => Promise<Outcome>;
type Action<A extends unknown[]> = (...args: A) => Promise<void>;

/** Turns a command's function into the action that commander calls with its arguments and options. */
export interface Act {
  <A extends unknown[]>(run: Run<Context, A>): Action<A>;
  /** Runs without a client, and without reading the profile or the credentials. */
  locally<A extends unknown[]>(run: Run<LocalContext, A>): Action<A>;
}

interface ContextOptions {
  version: string;
  retries: RetryPolicy | undefined;
}

/** @throws UsageError when the credentials cannot be read */
export async function createContext(
  local: LocalContext,
  { version, retries }: ContextOptions,
): Promise<Context> {
  const { options, progress, signal } = local;
  const tokenOptions = await tokenOptionsOf(options);
  for (const warning of clearTextWarnings(options)) progress.note(warning);
  const onRetry = ({ error, pauseMs, next, attempts }: Retry) =>
    progress.note(
      `${messageOf(error)} Trying again in ${formatDuration(pauseMs)} (attempt ${next} of ${attempts}).`,
    );
  const client = createApiClient({
    ...tokenOptions,
    gatewayUrl: options.gateway,
    userAgent: `package-import/${version}`,
    retries,
    onRetry,
    signal,
  });
  return { ...local, client, imports: packageImportsOf(client) };
}
