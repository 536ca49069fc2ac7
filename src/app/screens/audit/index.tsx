import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';

/** Who did what. */
export default function AuditScreen() {
  return (
    <Screen title="Audit">
      <EmptyState title="This screen is not built yet" />
    </Screen>
  );
}
