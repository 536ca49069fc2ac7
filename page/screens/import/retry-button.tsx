import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Button } from '../../ui/button.tsx';
import type { Submission } from './rows.ts';

interface RetryButtonProps {
  of: Submission;
  /** Null when it has been queued. */
  onRetried(error: unknown): void;
}

/** Where the submission may be run, by its own account and by that of the person. */
export function RetryButton({ of: { id, product_id, actions }, onRetried }: RetryButtonProps) {
  const [busy, setBusy] = useState(false);
  const [process] = actions;
  if (process === undefined || !can('postSubmissionAction')) return null;
  async function retry(): Promise<void> {
    if (process === undefined) return;
    setBusy(true);
    const answer = call('postSubmissionAction', { params: { id, process } });
    onRetried(await answer.then(() => null).catch((error: unknown) => error));
    setBusy(false);
  }
  return (
    <Button busy={busy} onClick={() => void retry()} aria-label={`Retry ${product_id}`}>
      Retry
    </Button>
  );
}
