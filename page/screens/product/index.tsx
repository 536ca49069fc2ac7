/** A product with its submissions, newest first; without an id the search for one. */
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { to } from '../../settings.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
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
  const [text, setText] = useState(productId);
  const [isEmpty, setIsEmpty] = useState(false);
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    setIsEmpty(wanted === '');
    if (wanted !== '') route(to(`products/${encodeURIComponent(wanted)}`));
  };
  return (
    <search>
      <form class={`toolbar ${css.search}`} onSubmit={search}>
        <Field label="Product ID" fault={isEmpty ? 'Enter a product ID.' : null}>
          <input
            type="search"
            value={text}
            placeholder="99962-26-00001"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Field>
        <Button type="submit">Show</Button>
      </form>
    </search>
  );
}
