/** One audit event with its details. */
import type { AuditEvent } from '../../../src/contract/types.ts';
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { formatUtc } from '../../ui/format.ts';
import { Time } from '../../ui/time.tsx';
import css from './audit.module.css';

export function EventDetails({ of, onClose }: { of: AuditEvent; onClose(): void }) {
  const { at, actor, action, import_id, submission_id, detail } = of;
  return (
    <Dialog title={readableAction(action)} onClose={onClose}>
      <div class={css.event}>
        <Facts>
          <Fact name="Time">
            <Time value={at} /> <span class="muted">({formatUtc(new Date(at))})</span>
          </Fact>
          <Fact name="Actor">
            <code>{actor}</code>
          </Fact>
          <Fact name="Action">
            <code>{action}</code>
          </Fact>
          {import_id !== null && (
            <Fact name="Import">
              <a href={to(`imports/${import_id}`)}>{import_id}</a>
            </Fact>
          )}
          {submission_id !== null && (
            <Fact name="Submission">
              {submission_id}
              {can('getSubmission') && <ProductLink submissionId={submission_id} />}
            </Fact>
          )}
        </Facts>
        {typeof detail === 'object' && detail !== null && (
          <>
            <h3>Details</h3>
            <Facts>
              {Object.entries(detail).map(([name, value]) => (
                <Fact key={name} name={name}>
                  {typeof value === 'object' ? <code>{JSON.stringify(value)}</code> : String(value)}
                </Fact>
              ))}
            </Facts>
          </>
        )}
      </div>
    </Dialog>
  );
}

function ProductLink({ submissionId }: { submissionId: number }) {
  const { data } = usePolled('getSubmission', { params: { id: submissionId } }, { everyMs: null });
  if (!data) return null;
  return (
    <>
      {' '}
      of product <a href={to(`products/${data.product_id}`)}>{data.product_id}</a>
    </>
  );
}

/** `Submission: regulator inserted` for `submission.regulator_inserted`. */
export function readableAction(action: string): string {
  const words = action.replaceAll(/[_-]/g, ' ').replace('.', ': ').replaceAll('.', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
