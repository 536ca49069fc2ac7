/** A plot by uPlot. */
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatBytes, formatDuration } from '../../../src/common/measures.ts';
import type { Span } from '../../../src/contract/statuses.ts';
import { formatNumber } from '../../ui/format.tsx';
import { type Series, stacked } from './series.ts';
import css from './statistics.module.css';

export type Kind = 'bars' | 'lines';

export interface Unit {
  format(value: number): string;
  /** The distances of the lines of an axis, from the smallest. */
  steps: number[];
}

const powers = (base: number, factors: readonly number[], count: number) =>
  Array.from({ length: count }, (_, power) => factors.map((factor) => factor * base ** power)).flat();

/** Whole numbers. */
export const COUNT: Unit = { format: formatNumber, steps: powers(10, [1, 2, 5], 10) };

export const SECONDS: Unit = {
  format: (seconds) => formatDuration(seconds * 1000),
  steps: [
    ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
    ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
    ...[1, 2, 4, 8, 12].map((hours) => hours * 3_600),
    ...[1, 2, 5, 10, 20, 50, 100].map((days) => days * 86_400),
  ],
};

export const BYTES: Unit = {
  format: formatBytes,
  steps: powers(1024, [1, 2, 5, 10, 20, 50, 100, 200, 500], 6),
};

interface PlotProps {
  by: Span;
  spans: readonly string[];
  series: readonly Series[];
  kind: Kind;
  unit: Unit;
  /** For a screen reader. */
  label: string;
  /** The day or hour under the pointer; null when there is none. */
  onSpan(index: number | null): void;
}

const HEIGHT = 240;
const FONT = '12px system-ui, sans-serif';
const AXIS_WIDTH = 88;
const AXIS_HEIGHT = 36;
/** More points would overlap. */
const MAX_POINTS = 100;
/** Pixels. */
const DASH = [6, 4];
const SPAN_SECONDS: Record<Span, number> = { day: 86_400, hour: 3_600 };

export function Plot(props: PlotProps) {
  const { spans, series, kind, label } = props;
  const frame = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let plot: UPlot | undefined;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = () => {
      plot?.destroy();
      plot = new UPlot(options(element, latest.current), data(latest.current), element);
    };
    const onSize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    draw();
    onSize.observe(element);
    dark.addEventListener('change', draw);
    return () => {
      onSize.disconnect();
      dark.removeEventListener('change', draw);
      plot?.destroy();
    };
    // Every answer creates new series: their content is compared.
  }, [JSON.stringify([spans, series, kind])]);

  return <div ref={frame} class={css.plot} role="img" aria-label={label} />;
}

/** Seconds since 1970 and the values; of stacked bars the highest first, behind the others. */
function data({ spans, series, kind }: PlotProps): UPlot.AlignedData {
  const times = spans.map((at) => Date.parse(at) / 1000);
  const drawn = kind === 'bars' ? stacked(series).reverse() : series.map(({ values }) => values);
  return [times, ...drawn];
}

function options(element: HTMLElement, props: PlotProps): UPlot.Options {
  const { by, spans, series, kind, unit } = props;
  const half = SPAN_SECONDS[by] / 2;
  const muted = colourOf(element, 'muted');
  const surface = colourOf(element, 'surface');
  const grid = { stroke: colourOf(element, 'line'), width: 1 };
  const axis = { stroke: muted, font: FONT, grid, ticks: grid };
  const bars = UPlot.paths.bars?.({ size: [0.7, 48] });
  const drawn = series.map(({ label, colour, isDashed }): UPlot.Series => {
    const stroke = colourOf(element, `chart-${colour}`);
    if (kind === 'lines') {
      // A value without neighbours has no line: it needs its point.
      const points = { show: spans.length <= MAX_POINTS, size: 6, fill: stroke };
      return { label, stroke, width: 2, dash: isDashed ? DASH : [], points, spanGaps: false };
    }
    // A line in the colour of the card parts stacked bars.
    const bar: UPlot.Series = { label, stroke: surface, width: 1, fill: stroke, points: { show: false } };
    return bars ? { ...bar, paths: bars } : bar;
  });
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    scales: {
      // Bars are centred on the beginning of their day or hour.
      x: { range: (_plot, min, max) => [min - half, max + half] },
      y: { range: (_plot, _min, max) => [0, Math.max(max, 1) * 1.05] },
    },
    axes: [
      {
        ...axis,
        size: AXIS_HEIGHT,
        values: (_plot, seconds) => seconds.map(by === 'day' ? shortDay : shortHour),
      },
      { ...axis, size: AXIS_WIDTH, incrs: unit.steps, values: (_plot, values) => values.map(unit.format) },
    ],
    series: [{}, ...(kind === 'bars' ? drawn.reverse() : drawn)],
    hooks: { setCursor: [({ cursor }) => props.onSpan(cursor.idx ?? null)] },
  };
}

/** The value of `--name` now, in light or dark. */
function colourOf(element: Element, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Empty between two days. */
const shortDay = (seconds: number): string =>
  seconds % SPAN_SECONDS.day === 0 ? days.format(seconds * 1000) : '';

const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** The day at midnight; empty between two hours. */
const shortHour = (seconds: number): string =>
  shortDay(seconds) || (seconds % SPAN_SECONDS.hour === 0 ? hours.format(seconds * 1000) : '');
