/** What the API would not do, and what helps. */
import type { ApiError, ErrorCode } from '../../api/api-error.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';

const HELP: Partial<Record<ErrorCode, string>> = {
  action_not_available: 'What is shown may have been older than that: it is being loaded anew.',
  already_queued: 'Another run of this product is under way. Its end decides.',
  not_started: 'The run could not be started. Try again in a while.',
  package_removed: 'Packages are kept for some months only.',
};

export function Refusal({ error, onClose }: { error: ApiError | null; onClose(): void }) {
  if (error === null) return null;
  const needsSession = error.status === 412;
  const help = error.code === null ? undefined : HELP[error.code];
  return (
    <div class="notice bad" role="alert">
      <span>
        {error.message} {help}
        {error.retryAfterS !== null && ` Try again in ${error.retryAfterS} s.`}
        {error.requestId !== null && (
          <>
            {' '}
            Request <code>{error.requestId}</code>
          </>
        )}
      </span>
      {needsSession && can('postRegulatorSession') && (
        <ButtonLink href={to('session')}>Log in with the regulator</ButtonLink>
      )}
      <Button kind="quiet" onClick={onClose} aria-label="Close this message">
        ✕
      </Button>
    </div>
  );
}
