/** The products of an import, failures first. Rows stay in place while somebody reads. */
import { useMemo } from 'preact/hooks';
import type { ImportReport } from '../../../src/contract/types.ts';
import { type Chip, Chips } from '../../ui/badge.tsx';
import { Field, SearchInput } from '../../ui/field.tsx';
import { HeldList, inOrderOf, useHeld } from '../../ui/paged-table.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useFilter } from '../../ui/use-filter.ts';
import { VirtualTable } from '../../ui/virtual-table.tsx';
import { Details } from './details.tsx';
import css from './import.module.css';
import {
  OUTCOME_NAMES,
  OUTCOMES,
  PRODUCT_COLUMNS,
  type ProductRow,
  rowsOf,
  type Show,
  shownOf,
} from './product-rows.tsx';

const ROW_HEIGHT = 60;
const keyOf = ({ key }: ProductRow) => key;
const inPlace = (rows: readonly ProductRow[], shown: readonly ProductRow[]) => inOrderOf(rows, shown, keyOf);

export function Products({ report }: { report: ImportReport }) {
  const [{ q: text, product, ...filter }, set] = useFilter('show', 'q', 'product');
  const show = isShow(filter.show) ? filter.show : 'all';
  const all = useMemo(() => rowsOf(report), [report]);
  const wanted = useMemo(() => shownOf(all, show, text), [all, show, text]);
  const held = useHeld(wanted, `${show} ${text}`, inPlace);
  const { rows } = held;
  const isOther = rows.some((row, index) => row !== wanted[index]);
  // It stays open when its row leaves the filter.
  const opened = all.find(({ key }) => key === product);
  const place = opened === undefined ? -1 : rows.indexOf(opened);
  const open = (row: ProductRow | undefined) => set({ product: row?.key ?? '' });

  return (
    <section class={css.products} aria-label="Products">
      <div class="toolbar">
        <Chips
          label="Outcome"
          chips={chipsOf(all)}
          selected={show}
          onSelect={(name) => set({ show: name === 'all' ? '' : name })}
        />
        <Field label="Product, case or reason">
          <SearchInput value={text} onSearch={(q) => set({ q })} placeholder="Part of it" />
        </Field>
      </div>
      {rows.length === 0 ? (
        <NoProduct isEmpty={all.length === 0} isOver={report.completed_at !== null} />
      ) : (
        <HeldList held={held} news={isOther ? 'Show failures first' : null}>
          <VirtualTable
            label="Products"
            columns={PRODUCT_COLUMNS}
            rows={rows}
            keyOf={keyOf}
            onOpen={open}
            rowHeight={ROW_HEIGHT}
          />
        </HeldList>
      )}
      {opened && (
        <Details
          row={opened}
          before={rows[place - 1]}
          after={place < 0 ? undefined : rows[place + 1]}
          onOpen={open}
        />
      )}
    </section>
  );
}

function NoProduct({ isEmpty, isOver }: { isEmpty: boolean; isOver: boolean }) {
  if (!isEmpty) return <EmptyState title="No product matches these filters" />;
  if (!isOver) return <EmptyState title="No product has been read yet" />;
  return (
    <EmptyState title="The package has no products">
      <p>
        Product files are read from a folder named <code>ecigarette-product-submissions</code>.
      </p>
    </EmptyState>
  );
}

const isShow = (name: string): name is Show =>
  name === 'warned' || OUTCOME_NAMES.some((outcome) => outcome === name);

export function chipsOf(rows: readonly ProductRow[]): Chip<Show>[] {
  const count = (show: Show) => shownOf(rows, show, '').length;
  return [
    { name: 'all', label: 'All', count: rows.length },
    ...OUTCOME_NAMES.map((name) => ({ name, ...OUTCOMES[name], count: count(name) })),
    { name: 'warned', label: 'With warnings', tone: 'warn', count: count('warned') },
  ];
}
