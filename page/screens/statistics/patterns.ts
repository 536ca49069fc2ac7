/** A colour and a pattern for each series of a plot: who cannot tell the colours apart has the patterns. */
import type { Tone } from '../../ui/status.ts';

const TILE = 8;

type Draw = (context: CanvasRenderingContext2D) => void;

const line = (context: CanvasRenderingContext2D, ...points: number[]) => {
  context.beginPath();
  for (let at = 0; at < points.length; at += 4) {
    context.moveTo(points[at] ?? 0, points[at + 1] ?? 0);
    context.lineTo(points[at + 2] ?? 0, points[at + 3] ?? 0);
  }
  context.stroke();
};

const PATTERNS: readonly Draw[] = [
  (context) => context.fillRect(0, 0, TILE, TILE),
  (context) => line(context, -2, 2, 2, -2, 0, TILE, TILE, 0, 6, 10, 10, 6),
  (context) => {
    context.beginPath();
    context.arc(TILE / 2, TILE / 2, 2, 0, 2 * Math.PI);
    context.fill();
  },
  (context) => line(context, 0, TILE / 2, TILE, TILE / 2),
  (context) => line(context, TILE / 2, 0, TILE / 2, TILE),
  (context) => line(context, 0, 0, TILE, TILE, 0, TILE, TILE, 0),
];

/** Dashes of lines, in pixels. */
export const DASHES: readonly number[][] = [[], [6, 4], [2, 3]];

/** What `var(--name)` is now, in light or dark. */
export function colourOf(element: Element, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A tile to be repeated, opaque so that what is stacked behind it does not shine through. */
export function patternTile(element: Element, tone: Tone, index: number): HTMLCanvasElement {
  const tile = document.createElement('canvas');
  tile.width = TILE;
  tile.height = TILE;
  const context = tile.getContext('2d');
  if (context === null) return tile;
  context.fillStyle = colourOf(element, 'surface');
  context.fillRect(0, 0, TILE, TILE);
  const colour = colourOf(element, tone);
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  PATTERNS[index % PATTERNS.length]?.(context);
  return tile;
}
