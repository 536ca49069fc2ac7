// biome-ignore-all lint/a11y/useSemanticElements: rows with computed positions do not fit a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: the row takes the focus for its cells
/**
 * A table of any length. Only rows in sight exist. All rows have one height, so changed data move nothing. One row has
 * the focus: arrows, Page Up and Down, Home and End move it, Enter opens it.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<T> {
  title: ComponentChildren;
  /** A track of CSS grid: `8rem`, `minmax(10rem, 2fr)`. */
  width: string;
  /** The track when the table is narrower than 46 rem. By default the column is left out there. */
  narrow?: string | undefined;
  /** Numbers are aligned at the end. */
  align?: 'end';
  cell(row: T): ComponentChildren;
}

interface VirtualTableProps<T> {
  /** For a screen reader. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  /** Identifies a row across updates. */
  keyOf(row: T): string | number;
  /** Called after Enter on a row, or a click beside its links and buttons. */
  onOpen?(row: T): void;
  /** The last rows are in sight: loads the next page. */
  onEnd?(): void;
  /** Pixels at a font size of 14 px. */
  rowHeight: number;
}

const HEAD_HEIGHT = 36;
/** Rows that are drawn above and below those in sight. */
const AROUND = 12;

export function VirtualTable<T>(props: VirtualTableProps<T>) {
  const { label, columns, rows, keyOf, onOpen, onEnd } = props;
  const rowHeight = props.rowHeight * fontScale();
  const frame = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const { first, end } = useRowsInSight(frame, rows.length, rowHeight);
  // A row that is drawn: otherwise the Tab key would not reach the rows.
  const current = Math.max(first, Math.min(focused, end - 1));

  useEffect(() => {
    if (rows.length > 0 && end === rows.length) onEnd?.();
  }, [end, rows.length, onEnd]);

  /** The row that gets the focus as soon as it is drawn. */
  const wanted = useRef<number | null>(null);

  function focusWanted(): void {
    const row = frame.current?.querySelector<HTMLElement>(`[aria-rowindex="${(wanted.current ?? -2) + 2}"]`);
    if (wanted.current === null || !row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  }
  useLayoutEffect(focusWanted);

  function focusRow(index: number): void {
    setFocused(index);
    if (frame.current) reveal(frame.current, index * rowHeight, rowHeight);
    wanted.current = index;
    focusWanted();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!target.matches('[role="row"]')) return;
    // The focus stays with a row that changed data have moved.
    const here = Number(target.getAttribute('aria-rowindex')) - 2;
    const page = Math.max(1, Math.floor(((frame.current?.clientHeight ?? 0) - HEAD_HEIGHT) / rowHeight) - 1);
    const last = rows.length - 1;
    const targets: Record<string, number> = {
      ArrowDown: here + 1,
      ArrowUp: here - 1,
      PageDown: here + page,
      PageUp: here - page,
      Home: 0,
      End: last,
    };
    const next = targets[event.key];
    const row = rows[here];
    if (next !== undefined) {
      event.preventDefault();
      focusRow(Math.min(Math.max(next, 0), last));
    } else if (event.key === 'Enter' && row !== undefined) onOpen?.(row);
  }

  function open(event: MouseEvent, row: T): void {
    const isOwn = (event.target as HTMLElement).closest('a, button, input, select, summary') === null;
    if (isOwn && !getSelection()?.toString()) onOpen?.(row);
  }

  const tracks = {
    '--columns': columns.map(({ width }) => width).join(' '),
    '--columns-narrow': columns.flatMap(({ narrow }) => narrow ?? []).join(' '),
  };
  const classOf = ({ narrow, align }: Column<T>) =>
    `cell${narrow === undefined ? ' wide' : ''}${align === 'end' ? ' end' : ''}`;
  return (
    <div class="table-frame">
      <div
        ref={frame}
        class="table"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-readonly="true"
        style={tracks}
        onKeyDown={onKeyDown}
      >
        <div role="row" aria-rowindex={1} class="head">
          {columns.map((column, place) => (
            <div key={place} role="columnheader" class={classOf(column)}>
              {column.title}
            </div>
          ))}
        </div>
        <div class="rows" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
          {rows.slice(first, end).map((row, place) => {
            const index = first + place;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: Enter is handled by the table
              <div
                key={keyOf(row)}
                role="row"
                class="row"
                aria-rowindex={index + 2}
                tabIndex={index === current ? 0 : -1}
                style={{ height: `${rowHeight}px`, transform: `translateY(${index * rowHeight}px)` }}
                onFocus={() => setFocused(index)}
                onClick={(event) => open(event, row)}
              >
                {columns.map((column, number) => (
                  <div key={number} role="gridcell" class={classOf(column)}>
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The root's font size as a multiple of 14 px. It follows the browser's own setting. */
const fontScale = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 14 || 1;

/**
 * The rows in sight, with some around them.
 *
 * @param rowHeight pixels
 * @returns the first row, and the one after the last
 */
function useRowsInSight(frame: RefObject<HTMLDivElement | null>, count: number, rowHeight: number) {
  const [range, setRange] = useState({ first: 0, end: 0 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => {
      const { scrollTop, clientHeight } = element;
      const first = Math.max(0, Math.floor(scrollTop / rowHeight) - AROUND);
      const end = Math.ceil((scrollTop + clientHeight) / rowHeight) + AROUND;
      setRange((known) => (known.first === first && known.end === end ? known : { first, end }));
    };
    const onSize = new ResizeObserver(measure);
    measure();
    onSize.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      onSize.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [rowHeight]);
  return { first: Math.min(range.first, count), end: Math.min(range.end, count) };
}

/**
 * Scrolls by the smallest distance.
 * @param top of the row, pixels below the head, which covers rows that scroll below it
 */
function reveal(frame: HTMLElement, top: number, height: number): void {
  const head = frame.querySelector<HTMLElement>('.head')?.offsetHeight ?? HEAD_HEIGHT;
  const lowest = top + height + head - frame.clientHeight;
  if (frame.scrollTop > top) frame.scrollTop = top;
  else if (frame.scrollTop < lowest) frame.scrollTop = lowest;
}
