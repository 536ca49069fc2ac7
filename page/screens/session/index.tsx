/** The login of the service with the regulator, and whether it inserts. */
import { can } from '../../auth/permissions.ts';
import { Screen } from '../../ui/screen.tsx';
import { InsertingCard } from './inserting-card.tsx';
import { SessionCard } from './session-card.tsx';
import { SessionEvents } from './session-events.tsx';
import './session.css';

export default function SessionScreen() {
  return (
    <Screen title="Regulator session">
      <div class="session-cards">
        <SessionCard />
        {can('getInserting') && <InsertingCard />}
        {can('getAuditEvents') && <SessionEvents />}
      </div>
    </Screen>
  );
}
