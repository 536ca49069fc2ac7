import type { Submission } from '../../src/contract/types.ts';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { can } from '../auth/permissions.ts';
import { Button } from './button.tsx';
import { useAction } from './use-action.ts';

interface RetryButtonProps {
  of: Pick<Submission, 'id' | 'product_id' | 'actions'>;
  /** Called after each attempt; null when the submission is queued. */
  onRetried(error: ApiError | null): void;
}

/** Drawn only when the service offers a retry and the person may request it. */
export function RetryButton({ of: { id, product_id, actions }, onRetried }: RetryButtonProps) {
  const [process] = actions;
  const retry = useAction(async (name: NonNullable<typeof process>) => {
    try {
      await call('postSubmissionAction', { params: { id, process: name } });
      onRetried(null);
    } catch (error) {
      onRetried(asApiError(error));
    }
  });
  if (process === undefined || !can('postSubmissionAction')) return null;
  return (
    <Button busy={retry.busy} onClick={() => void retry.run(process)} aria-label={`Retry ${product_id}`}>
      Retry
    </Button>
  );
}
