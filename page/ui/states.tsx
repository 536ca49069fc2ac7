/** What stands where there are no data: because there are none, not yet, or no more. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/api-error.ts';
import type { Polled } from '../api/use-polled.ts';
import { Button } from './button.tsx';
import { Time } from './time.tsx';

export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Keeps the room of what comes. */
export function Loading() {
  return (
    <div class="state" role="status">
      <p>Loading …</p>
    </div>
  );
}

/** In plain words: what it means for the person, what the service said, what to tell who runs it. */
export function ErrorState({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  return (
    <div class="state" role="alert">
      <h2>{headingOf(error)}</h2>
      <p>{error.message}</p>
      {error.requestId !== null && (
        <p>
          Request <code>{error.requestId}</code>
        </p>
      )}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Above data that could not be refreshed. */
export function StaleNotice({ polled }: { polled: Polled<unknown> }) {
  if (polled.error === null || polled.data === undefined) return null;
  return (
    <div class="notice warn" role="status">
      <span>
        {headingOf(polled.error)} Shown is the state of{' '}
        {polled.checkedAt && <Time value={polled.checkedAt.toISOString()} />}.
      </span>
      <Button kind="quiet" onClick={polled.refresh}>
        Try now
      </Button>
    </div>
  );
}

/** A screen's data, or what stands in their place. */
export function PolledContent<T>({
  polled,
  children,
}: {
  polled: Polled<T>;
  children: (data: T) => ComponentChildren;
}) {
  if (polled.data !== undefined)
    return (
      <>
        <StaleNotice polled={polled} />
        {children(polled.data)}
      </>
    );
  return polled.error === null ? <Loading /> : <ErrorState error={polled.error} onRetry={polled.refresh} />;
}

function headingOf({ status }: ApiError): string {
  if (status === 0) return 'There is no connection to the service.';
  if (status === 401) return 'Your login has ended.';
  if (status === 403) return 'You may not do this.';
  if (status === 404) return 'This does not exist, or is not yours.';
  if (status === 412) return 'The service is not logged in with the regulator.';
  if (status === 429) return 'Too many requests.';
  if (status === 503) return 'The service is busy.';
  return status >= 500 ? 'The service has failed.' : 'The service refused this.';
}
