/** A product with all of its submissions, newest first; without an ID the question for one. */
import { useRoute } from 'preact-iso';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { ProductHistory } from './history.tsx';
import { ProductSearch } from './search.tsx';

export default function ProductScreen() {
  const { id } = useRoute().params;
  return (
    <Screen title={id ? `Product ${id}` : 'Products'}>
      <ProductSearch key={id} productId={id ?? ''} />
      {id ? (
        <ProductHistory key={id} productId={id} />
      ) : (
        <EmptyState title="Which product?">
          <p>Its ID stands in every import, and in the file that describes it.</p>
        </EmptyState>
      )}
    </Screen>
  );
}
