import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';

/** A product with all of its submissions. */
export default function ProductScreen() {
  return (
    <Screen title="Product">
      <EmptyState title="This screen is not built yet" />
    </Screen>
  );
}
