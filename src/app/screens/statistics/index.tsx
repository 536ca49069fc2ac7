import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';

/** What was imported over time. */
export default function StatisticsScreen() {
  return (
    <Screen title="Statistics">
      <EmptyState title="This screen is not built yet" />
    </Screen>
  );
}
