import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';

/** A package, first as a dry run, then as an import. */
export default function UploadScreen() {
  return (
    <Screen title="Upload">
      <EmptyState title="This screen is not built yet" />
    </Screen>
  );
}
