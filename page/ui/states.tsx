/** Loading, errors, empty lists and stale data. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import type { Loaded } from '../api/use-data.ts';
import { Button } from './button.tsx';
import { Time } from './format.tsx';

export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state" role="status">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading() {
  return (
    <div class="state" role="status">
      <p>Loading …</p>
    </div>
  );
}

interface ErrorStateProps {
  error: ApiError;
  /** By default by the status of the error. */
  heading?: string | undefined;
  onRetry?: (() => void) | undefined;
  children?: ComponentChildren;
}

/** Shown in place of data: the problem, the answer of the service, and the request ID for support. */
export function ErrorState({ error, heading = headingOf(error), onRetry, children }: ErrorStateProps) {
  return (
    <div class="state" role="alert">
      <h2>{heading}</h2>
      <p>{error.message}</p>
      {children}
      <Reference of={error} />
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** The request ID, and a link to the page about the error's code, in a new tab: entries of this one stay. */
export function Reference({ of: { code, docUrl, requestId } }: { of: ApiError }) {
  if (requestId === null) return null;
  return (
    <span>
      Request <code>{requestId}</code>{' '}
      {docUrl !== null && (
        <a href={docUrl} target="_blank" rel="noreferrer">
          About {code}
        </a>
      )}
    </span>
  );
}

/** Shown above data that could not be refreshed. */
export function StaleNotice({ of: { data, error, checkedAt, refresh } }: { of: Loaded<unknown> }) {
  if (error === null || data === undefined) return null;
  return (
    <div class="notice warn" role="status">
      <span>
        {headingOf(error)} The data below are from {checkedAt && <Time value={checkedAt.toISOString()} />}.
      </span>
      <Button kind="quiet" onClick={refresh}>
        Try again
      </Button>
    </div>
  );
}

interface LoadedContentProps<T> {
  of: Loaded<T>;
  children(data: T): ComponentChildren;
}

/** Shows the data of a screen, or their state. */
export function LoadedContent<T>({ of, children }: LoadedContentProps<T>) {
  if (of.data !== undefined)
    return (
      <>
        <StaleNotice of={of} />
        {children(of.data)}
      </>
    );
  return of.error === null ? <Loading /> : <ErrorState error={of.error} onRetry={of.refresh} />;
}

function headingOf({ status, code }: ApiError): string {
  if (code === 'nothing_to_repair') return 'This file cannot be corrected.';
  if (status === 0) return 'There is no connection to the service.';
  if (status === 401) return 'Your login has ended.';
  if (status === 403) return 'You do not have the permission for this.';
  if (status === 404) return 'This does not exist, or it belongs to another client.';
  if (status === 412) return 'The service is not logged in with the regulator.';
  if (status === 429) return 'Too many requests.';
  if (status === 503) return 'The service is busy.';
  return status >= 500 ? 'The service has an internal error.' : 'The service rejects this request.';
}

/** The root of every screen. Its title is the heading, and the title of the window. */
export function Screen({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Package imports`;
  }, [title]);
  return (
    <>
      <div class="screen-head cluster">
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </>
  );
}
