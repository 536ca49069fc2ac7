import { useState } from 'preact/hooks';
import type { ProductSubmission as Submission } from '../../../src/contract/types.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Button } from '../../ui/button.tsx';

/** Brings a submission to the regulator again, where the service offers that. */
export function RunAgain({ of: { id, actions }, onChanged }: { of: Submission; onChanged(): void }) {
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const [process] = actions;

  async function run(name: Submission['actions'][number]): Promise<void> {
    setIsBusy(true);
    setRefusal(null);
    try {
      await call('postSubmissionAction', { params: { id, process: name } });
      onChanged();
    } catch (error) {
      setRefusal(asApiError(error));
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <>
      {process !== undefined && can('postSubmissionAction') && (
        <Button kind="primary" busy={isBusy} onClick={() => void run(process)}>
          Run again
        </Button>
      )}
      {refusal && (
        <p class="fault" role="alert">
          {refusal.message}{' '}
          {refusal.status === 412 && can('getRegulatorSession') && <a href={to('session')}>Log in there</a>}
        </p>
      )}
    </>
  );
}
