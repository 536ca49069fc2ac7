import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { to } from '../../settings.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import css from './product.module.css';

/** Leads to a product. Whether the ID is one, the service says. */
export function ProductSearch({ productId }: { productId: string }) {
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
      <form class={`toolbar ${css.productSearch}`} onSubmit={search}>
        <Field label="Product ID" fault={isEmpty ? 'Give a product ID.' : null}>
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
