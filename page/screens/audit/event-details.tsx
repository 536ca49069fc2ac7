/** One event with everything that it tells, and what it was about. */
import type { ComponentChildren } from 'preact';
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { formatUtc } from '../../ui/format.ts';
import { Time } from '../../ui/time.tsx';
import css from './audit.module.css';
import { readableAction } from './readable-action.ts';
import type { AuditEvent } from './use-audit-events.ts';

export function EventDetails({ of, onClose }: { of: AuditEvent; onClose(): void }) {
  const { at, actor, action, import_id, submission_id, detail } = of;
  return (
    <Dialog title={readableAction(action)} onClose={onClose}>
      <dl class={css.eventFacts}>
        <Fact name="When">
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
        {detail != null && <Detail name="Details" value={detail} />}
      </dl>
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

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** JSON as names with their values, whatever an action has to tell. */
function Detail({ name, value }: { name: string; value: unknown }) {
  if (typeof value !== 'object' || value === null) return <Fact name={name}>{String(value)}</Fact>;
  const entries = Object.entries(value);
  return (
    <Fact name={name}>
      {entries.length === 0 ? (
        <span class="muted">none</span>
      ) : (
        <dl class={`${css.eventFacts} ${css.inner}`}>
          {entries.map(([key, inner]) => (
            <Detail key={key} name={Array.isArray(value) ? `${Number(key) + 1}` : key} value={inner} />
          ))}
        </dl>
      )}
    </Fact>
  );
}
