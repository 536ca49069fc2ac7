/** A product with its submissions, newest first; without an id the search for one. */
import { useLocation, useRoute } from 'preact-iso';
import { to } from '../../settings.ts';
import { Button } from '../../ui/button.tsx';
import { Field, submittedText } from '../../ui/field.tsx';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { ProductHistory } from './history.tsx';
import css from './product.module.css';

export default function ProductScreen() {
  const { id } = useRoute().params;
  return (
    <Screen title={id ? `Product ${id}` : 'Products'}>
      <ProductSearch key={id} productId={id ?? ''} />
      {id ? (
        <ProductHistory key={id} productId={id} />
      ) : (
        <EmptyState title="Enter a product ID">
          <p>Every import lists the IDs of its products.</p>
        </EmptyState>
      )}
    </Screen>
  );
}

/** The service checks the format of the ID. */
function ProductSearch({ productId }: { productId: string }) {
  const { route } = useLocation();
  const search = (event: SubmitEvent) => {
    const wanted = submittedText(event, 'id');
    if (wanted !== '') route(to(`products/${encodeURIComponent(wanted)}`));
  };
  return (
    <search>
      <form class={`toolbar ${css.search}`} onSubmit={search}>
        <Field label="Product ID">
          <input
            name="id"
            type="search"
            defaultValue={productId}
            placeholder="99962-26-00001"
            autocomplete="off"
            spellcheck={false}
            required
          />
        </Field>
        <Button type="submit">Show</Button>
      </form>
    </search>
  );
}
