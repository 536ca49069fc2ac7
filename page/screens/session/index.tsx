/** The session of the service with the regulator, and the pause of inserting. */
import { can } from '../../auth/permissions.ts';
import { Screen } from '../../ui/screen.tsx';
import { InsertingCard } from './inserting-card.tsx';
import css from './session.module.css';
import { SessionCard } from './session-card.tsx';
import { SessionEvents } from './session-events.tsx';

export default function SessionScreen() {
  return (
    <Screen title="Regulator session">
      <div class={css.cards}>
        <SessionCard />
        {can('getInserting') && <InsertingCard />}
        {can('getAuditEvents') && <SessionEvents />}
      </div>
    </Screen>
  );
}
