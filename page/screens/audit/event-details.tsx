/** One audit event with its details. */
import type { AuditEvent } from '../../../src/contract/types.ts';
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatTime, formatUtc } from '../../ui/format.ts';

export function EventDetails({ of, onClose }: { of: AuditEvent; onClose(): void }) {
  const { at, actor, action, import_id, submission_id, detail } = of;
  return (
    <Dialog title={readableAction(action)} onClose={onClose}>
      <div class="stack">
        <Facts
          of={{
            Time: `${formatTime(new Date(at))} (${formatUtc(new Date(at))})`,
            Actor: <code>{actor}</code>,
            Action: <code>{action}</code>,
            Import: import_id === null ? undefined : <a href={to(`imports/${import_id}`)}>{import_id}</a>,
            Submission: submission_id === null ? undefined : <SubmissionLink id={submission_id} />,
          }}
        />
        {typeof detail === 'object' && detail !== null && (
          <>
            <h3>Details</h3>
            <Facts
              of={Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, textOf(value)]))}
            />
          </>
        )}
      </div>
    </Dialog>
  );
}

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function SubmissionLink({ id }: { id: number }) {
  const enabled = can('getSubmission');
  const { data } = usePolled('getSubmission', { params: { id } }, { everyMs: null, enabled });
  if (!data) return <>{id}</>;
  return (
    <>
      {id} of product <a href={to(`products/${data.product_id}`)}>{data.product_id}</a>
    </>
  );
}

/** `Submission: regulator inserted` for `submission.regulator_inserted`. */
export function readableAction(action: string): string {
  const words = action.replaceAll(/[_-]/g, ' ').replace('.', ': ').replaceAll('.', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
