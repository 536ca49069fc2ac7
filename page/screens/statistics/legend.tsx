import { useLayoutEffect, useRef } from 'preact/hooks';
import { colourOf, DASHES, patternTile } from './patterns.ts';
import type { Kind } from './plot.tsx';
import { type Series, totalOf } from './series.ts';
import css from './statistics.module.css';
import type { Unit } from './units.ts';

interface LegendProps {
  series: readonly Series[];
  kind: Kind;
  /** Whose values are shown; null for those of the whole period, or of the last where they do not add up. */
  at: number | null;
  unit: Unit;
}

/** What each colour and pattern means, and how much it is: nobody has to read it off the axis. */
export function Legend({ series, kind, at, unit }: LegendProps) {
  return (
    <ul class={css.legend}>
      {series.map((one, index) => {
        const value = at === null ? overall(one, kind) : (one.values[at] ?? null);
        return (
          <li key={one.name}>
            <Swatch of={one} index={index} kind={kind} />
            {one.label}
            <strong class="number">{value === null ? '–' : unit.format(value)}</strong>
          </li>
        );
      })}
    </ul>
  );
}

function overall(series: Series, kind: Kind): number | null {
  return kind === 'bars' ? totalOf(series) : (series.values.findLast((value) => value !== null) ?? null);
}

const WIDTH = 24;
const HEIGHT = 12;

function Swatch({ of: { tone }, index, kind }: { of: Series; index: number; kind: Kind }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = () => canvas.current && drawSwatch(canvas.current, tone, index, kind);
    draw();
    dark.addEventListener('change', draw);
    return () => dark.removeEventListener('change', draw);
  }, [tone, index, kind]);
  return <canvas ref={canvas} class={css.swatch} width={WIDTH} height={HEIGHT} />;
}

function drawSwatch(canvas: HTMLCanvasElement, tone: Series['tone'], index: number, kind: Kind): void {
  const context = canvas.getContext('2d');
  const around = canvas.parentElement;
  if (context === null || around === null) return;
  context.clearRect(0, 0, WIDTH, HEIGHT);
  context.strokeStyle = colourOf(around, tone);
  if (kind === 'bars') {
    context.fillStyle = context.createPattern(patternTile(around, tone, index), 'repeat') ?? '';
    context.fillRect(0, 0, WIDTH, HEIGHT);
    context.strokeRect(0.5, 0.5, WIDTH - 1, HEIGHT - 1);
    return;
  }
  context.lineWidth = 2;
  context.setLineDash(DASHES[index % DASHES.length] ?? []);
  context.beginPath();
  context.moveTo(0, HEIGHT / 2);
  context.lineTo(WIDTH, HEIGHT / 2);
  context.stroke();
}
