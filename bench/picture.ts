/** The picture of the ratios over commits: one small chart for each figure, as SVG. */
import type { Spread } from './figure.ts';
import type { KeptFigure, Results } from './results.ts';

const COLUMNS = 3;
const CELL = { width: 330, height: 150 };
/** Within a cell. */
const PLOT = { left: 12, right: 60, top: 34, bottom: 26 };
const WIDTH = CELL.width - PLOT.left - PLOT.right;
const HEIGHT = CELL.height - PLOT.top - PLOT.bottom;
const STYLE = `
  text { font: 11px system-ui, sans-serif; fill: #333 }
  .title { font-weight: 600 }
  .quiet { fill: #777; font-size: 10px }
  .spread { stroke: #1f6feb; stroke-width: 1 }
  .line { stroke: #1f6feb; stroke-width: 1.5; fill: none }
  .median { fill: #1f6feb }
  .target { stroke: #1a7f37; stroke-dasharray: 4 3 }
  .zero { stroke: #bbb }
`;

interface Point {
  commit: string;
  spread: Spread;
}

interface Chart {
  name: string;
  isRatio: boolean;
  target: number | null;
  points: Point[];
}

/** @param all the oldest commit first */
export function pictureOf(all: readonly Results[]): string {
  const charts = chartsOf(all);
  const rows = Math.ceil(charts.length / COLUMNS);
  const [width, height] = [COLUMNS * CELL.width, rows * CELL.height + 10];
  const cells = charts.map((chart, index) => {
    const [x, y] = [(index % COLUMNS) * CELL.width, Math.floor(index / COLUMNS) * CELL.height];
    return `<g transform="translate(${x} ${y})">\n${drawing(chart)}\n</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<title>Figures of the bench over commits</title>',
    `<style>${STYLE}</style>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...cells,
    '</svg>\n',
  ].join('\n');
}

/** Of counts that are to reach a value, and of those without a floor, the value; of all others the ratio. */
function chartsOf(all: readonly Results[]): Chart[] {
  const charts = new Map<string, Chart>();
  for (const { commit, figures } of all) {
    for (const figure of figures) {
      const isRatio = figure.ratio !== null && !(figure.value !== null && figure.target?.of === 'value');
      const spread = isRatio ? figure.ratio : figure.value;
      if (!spread) continue;
      const chart = charts.get(figure.name) ?? { name: figure.name, isRatio, target: null, points: [] };
      chart.points.push({ commit, spread });
      charts.set(figure.name, { ...chart, isRatio, target: targetOf(figure, isRatio) });
    }
  }
  return [...charts.values()];
}

function targetOf({ target }: KeptFigure, isRatio: boolean): number | null {
  return target && (target.of === 'ratio') === isRatio ? (target.atMost ?? target.atLeast ?? null) : null;
}

function drawing({ name, isRatio, target, points }: Chart): string {
  const top = Math.max(...points.map(({ spread }) => spread.max), target ?? 0) * 1.1 || 1;
  const x = (index: number) => px(PLOT.left + (WIDTH * (index + 0.5)) / points.length);
  const y = (value: number) => px(PLOT.top + HEIGHT * (1 - value / top));
  const [left, right] = [PLOT.left, PLOT.left + WIDTH];
  const last = points.at(-1)?.spread.median ?? 0;
  const lines = [
    `<text class="title" x="${left}" y="16">${escaped(name)}</text>`,
    `<text class="quiet" x="${left}" y="29">${isRatio ? 'ratio to the floor' : 'count'}</text>`,
    `<line class="zero" x1="${left}" x2="${right}" y1="${y(0)}" y2="${y(0)}"/>`,
    `<text x="${right + 6}" y="${y(last)}">${short(last)}</text>`,
    `<polyline class="line" points="${points.map(({ spread }, at) => `${x(at)},${y(spread.median)}`).join(' ')}"/>`,
  ];
  if (target !== null) {
    lines.push(`<line class="target" x1="${left}" x2="${right}" y1="${y(target)}" y2="${y(target)}"/>`);
    lines.push(
      `<text class="quiet" x="${right + 6}" y="${px(Number(y(target)) + 12)}">→ ${short(target)}</text>`,
    );
  }
  for (const [at, { commit, spread }] of points.entries()) {
    const whole = `${commit}: ${short(spread.median)} (${short(spread.min)} to ${short(spread.max)})`;
    lines.push(
      `<line class="spread" x1="${x(at)}" x2="${x(at)}" y1="${y(spread.min)}" y2="${y(spread.max)}"/>`,
      `<circle class="median" cx="${x(at)}" cy="${y(spread.median)}" r="3"><title>${whole}</title></circle>`,
    );
    // More names than these would be written over each other.
    if (points.length <= 5 || at === 0 || at === points.length - 1)
      lines.push(
        `<text class="quiet" text-anchor="middle" x="${x(at)}" y="${CELL.height - 10}">${commit}</text>`,
      );
  }
  return lines.join('\n');
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
