/** Draws curves as SVG, with logarithmic axes and colors for light and dark pages. */

export interface Curve {
  readonly name: string;
  /** The points, in increasing order of `x`. The quartiles are the lower and the upper end of a bar. */
  readonly points: readonly { x: number; y: number; low: number; high: number }[];
}

export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly curves: readonly Curve[];
}

const [WIDTH, HEIGHT] = [760, 420];
const FRAME = { left: 68, right: WIDTH - 200, top: 44, bottom: HEIGHT - 56 };
const FONT = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif";
const [LIGHT_GREY, DARK_GREY] = ["#59636e", "#9198a1"];
/** Readable on white and on black, and distinct for color-blind readers. */
const COLORS = ["#2f81f7", "#d97706", "#0f9d75", "#c05299", "#8b949e"];
/** The minimum distance of two names at the end of their curves. */
const NAME_HEIGHT = 18;

export function drawChart(chart: Chart): string {
  const all = chart.curves.flatMap(({ points }) => points);
  const toX = logScale(all.map(({ x }) => x).sort(ascending), FRAME.left, FRAME.right);
  const values = all.flatMap(({ y, low, high }) => [y, low, high]).sort(ascending);
  const [first, last] = [Math.min(...values), Math.max(...values)];
  const powers = [10 ** Math.floor(Math.log10(first)), 10 ** Math.ceil(Math.log10(last))];
  const toY = logScale(powers, FRAME.bottom, FRAME.top);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `  <title>${escape(chart.title)}</title>`,
    "  <style>",
    `    text { font: 13px ${FONT}; fill: ${LIGHT_GREY} }`,
    `    .axis { stroke: ${LIGHT_GREY}; stroke-opacity: 0.3 }`,
    "    @media (prefers-color-scheme: dark) {",
    `      text { fill: ${DARK_GREY} }`,
    `      .axis { stroke: ${DARK_GREY} }`,
    "    }",
    "  </style>",
    text(FRAME.left, 24, chart.title, 'style="font-weight: 600"'),
    ...drawAxes(chart, toX, toY),
    ...drawCurves(chart.curves, toX, toY),
    "</svg>",
    "",
  ].join("\n");
}

interface Scale {
  (value: number): number;
  readonly ends: readonly [number, number];
}

function logScale(sorted: readonly number[], from: number, to: number): Scale {
  const ends = [sorted[0] ?? 1, sorted.at(-1) ?? 1] as const;
  const [low, high] = [Math.log(ends[0]), Math.log(ends[1])];
  const at = (value: number) => from + ((Math.log(value) - low) / (high - low || 1)) * (to - from);
  return Object.assign(at, { ends });
}

function drawAxes({ xLabel, yLabel, curves }: Chart, toX: Scale, toY: Scale): string[] {
  const numbers = new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)));
  const vertical = [...numbers].map((x) => {
    const label = text(toX(x), FRAME.bottom + 20, grouped(x), 'text-anchor="middle"');
    return `${line(toX(x), FRAME.top, toX(x), FRAME.bottom)}\n${label}`;
  });
  const horizontal = ticks(toY.ends).map((y) => {
    const label = text(FRAME.left - 8, toY(y) + 4, grouped(y), 'text-anchor="end"');
    return `${line(FRAME.left, toY(y), FRAME.right, toY(y))}\n${label}`;
  });
  const [middleX, middleY] = [(FRAME.left + FRAME.right) / 2, (FRAME.top + FRAME.bottom) / 2];
  const turned = `text-anchor="middle" transform="rotate(-90 16 ${at(middleY)})"`;
  return [
    ...vertical,
    ...horizontal,
    text(middleX, FRAME.bottom + 44, xLabel, 'text-anchor="middle"'),
    text(16, middleY, yLabel, turned),
  ];
}

/** Returns 1, 10, 100 and so on, with 2 and 5 in between if they are few. */
function ticks([low, high]: readonly [number, number]): number[] {
  const decades = Math.round(Math.log10(high / low));
  const steps = decades <= 2 ? [1, 2, 5] : [1];
  const values = Array.from({ length: decades + 1 }, (_, i) => low * 10 ** i);
  return values.flatMap((power) => steps.map((step) => step * power)).filter((y) => y <= high);
}

function drawCurves(curves: readonly Curve[], toX: Scale, toY: Scale): string[] {
  const ends = curves.map(({ points }, index) => ({ index, y: toY(points.at(-1)?.y ?? NaN) }));
  let below = -Infinity;
  const labels = new Map<number, number>();
  for (const { index, y } of ends.sort((a, b) => a.y - b.y)) {
    below = Math.max(y, below + NAME_HEIGHT);
    labels.set(index, below);
  }
  return curves.map(({ name, points }, index) => {
    const color = COLORS[index % COLORS.length];
    const path = points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${at(toX(x))} ${at(toY(y))}`);
    const end = points.at(-1)!;
    const labelY = labels.get(index) ?? NaN;
    const leader = `M${at(toX(end.x) + 6)} ${at(toY(end.y))} L${at(FRAME.right + 18)} ${at(labelY)}`;
    return [
      `  <g stroke="${color}" fill="none">`,
      `    <path stroke-width="2" d="${path.join(" ")}"/>`,
      ...points.map(({ x, low, high }) => {
        return `    <path d="M${at(toX(x))} ${at(toY(low))} V${at(toY(high))}" stroke-width="1.5"/>`;
      }),
      ...points.map(({ x, y }) => {
        return `    <circle cx="${at(toX(x))}" cy="${at(toY(y))}" r="3.5" fill="${color}"/>`;
      }),
      `    <path d="${leader}" stroke-width="2"/>`,
      "  </g>",
      text(FRAME.right + 22, labelY + 4, name),
    ].join("\n");
  });
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `  <line class="axis" x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"/>`;
}

function text(x: number, y: number, content: string, attributes = ""): string {
  const open = ["  <text", `x="${at(x)}"`, `y="${at(y)}"`, attributes].filter(Boolean).join(" ");
  return `${open}>${escape(content)}</text>`;
}

/** Returns a coordinate with one digit after the point. */
function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Returns a number with a separator between thousands: `10,000`. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function ascending(a: number, b: number): number {
  return a - b;
}
