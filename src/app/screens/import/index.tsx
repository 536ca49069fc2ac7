import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';

/** One import: its progress, its products, what failed and why. */
export default function ImportScreen() {
  return (
    <Screen title="Import">
      <EmptyState title="This screen is not built yet" />
    </Screen>
  );
}
