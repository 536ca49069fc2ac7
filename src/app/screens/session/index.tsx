import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';

/** The login of the service with the regulator. */
export default function SessionScreen() {
  return (
    <Screen title="Regulator session">
      <EmptyState title="This screen is not built yet" />
    </Screen>
  );
}
