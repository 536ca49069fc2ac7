/** The files of an import, failures first. Rows stay in place while somebody reads. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ImportOutcome, OutcomeCounts } from '../../../src/contract/types.ts';
import { usePolled } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { Chips } from '../../ui/badge.tsx';
import { Field, SearchInput } from '../../ui/field.tsx';
import { inOrderOf, PagedTable } from '../../ui/paged-table.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useFilter } from '../../ui/use-filter.ts';
import { usePages } from '../../ui/use-pages.ts';
import { Details } from './details.tsx';
import css from './import.module.css';
import { COLUMNS, chipsOf, isShow, keyOf, latestOf, rowOf, type Show, totalOf } from './outcomes.tsx';

const ROW_HEIGHT = 60;
const OUTCOMES_PAGE = 100;

const HOLD = {
  arrange: (rows: readonly ImportOutcome[], shown: readonly ImportOutcome[]) => inOrderOf(rows, shown, keyOf),
  newsOf: (all: readonly ImportOutcome[], shown: readonly ImportOutcome[]) =>
    shown.some((row, index) => row !== all[index]) ? 'Show failures first' : null,
};

export type ListedOutcomes = ReturnType<typeof useOutcomes>;

/** The list of an import with the filter of the address, and the counts of all its files. */
export function useOutcomes(importId: number) {
  const [{ q: text, product, ...filter }, set] = useFilter('show', 'q', 'product');
  const show: Show = isShow(filter.show) ? filter.show : 'all';
  const request = {
    params: { id: importId },
    query: {
      outcome: show === 'all' || show === 'warned' ? undefined : show,
      warned: show === 'warned' ? 'true' : undefined,
      text: text || undefined,
      limit: OUTCOMES_PAGE,
    },
  } as const;
  const pages = usePages('getImportOutcomes', request, {
    rowsOf: ({ outcomes }) => outcomes,
    isOlder: (one, than) => one.id > than.id,
    mayChange: ({ outcome }) => outcome === 'inserting' || outcome === 'waiting',
  });
  const known = useRef<OutcomeCounts | null>(null);
  known.current = pages.newest.data?.counts ?? known.current;
  const { list } = pages;
  const latest = useMemo(() => list && { ...list, rows: latestOf(list.rows) }, [list]);
  return { pages: { ...pages, list: latest }, counts: known.current, show, text, product, set };
}

/** @param isOver whether the import has ended */
export function Products({ of, isOver }: { of: ListedOutcomes; isOver: boolean }) {
  const { pages, counts, show, text, set } = of;
  const opened = useOpened(of);
  const rows = pages.list?.rows ?? [];
  const place = rows.findIndex((row) => opened && keyOf(row) === keyOf(opened));
  const isLast = place >= 0 && place === rows.length - 1;
  useEffect(() => {
    if (isLast) pages.loadMore();
  }, [isLast, pages.loadMore]);
  const open = (row: ImportOutcome | undefined) => set({ product: row ? keyOf(row) : '' });

  return (
    <section class={css.products} aria-label="Products and files">
      <div class="toolbar">
        <Chips
          label="Outcome"
          chips={chipsOf(counts)}
          selected={show}
          onSelect={(name) => set({ show: name === 'all' ? '' : name })}
        />
        <Field label="Product, file, case or reason">
          <SearchInput value={text} onSearch={(q) => set({ q })} placeholder="Part of it" />
        </Field>
      </div>
      <PagedTable
        pages={pages}
        row="file"
        label="Products and files"
        columns={COLUMNS}
        keyOf={keyOf}
        hold={HOLD}
        onOpen={open}
        rowHeight={ROW_HEIGHT}
        empty={<NoProduct isEmpty={counts !== null && totalOf(counts.by_outcome) === 0} isOver={isOver} />}
      />
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

/** The row that the address names. It stays open when the list no longer shows it. */
function useOpened({ pages, product }: ListedOutcomes): ImportOutcome | undefined {
  const last = useRef<ImportOutcome | undefined>(undefined);
  const listed = pages.list?.rows.find((row) => keyOf(row) === product);
  const id = Number(product);
  const isUnlisted = id > 0 && pages.list !== undefined && !listed;
  const submission = usePolled(
    'getSubmission',
    { params: { id } },
    { enabled: isUnlisted && can('getSubmission') },
  );
  const shown = isUnlisted && submission.data ? rowOf(submission.data) : listed;
  last.current = shown ?? (last.current && keyOf(last.current) === product ? last.current : undefined);
  return last.current;
}

function NoProduct({ isEmpty, isOver }: { isEmpty: boolean; isOver: boolean }) {
  if (!isEmpty) return <EmptyState title="No file matches these filters" />;
  if (!isOver) return <EmptyState title="No product has been read yet" />;
  return (
    <EmptyState title="The package has no products">
      <p>
        Product files are read from a folder named <code>ecigarette-product-submissions</code>.
      </p>
    </EmptyState>
  );
}
