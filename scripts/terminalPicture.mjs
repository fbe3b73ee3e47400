// Draws the output of a terminal as SVG: lines of text with the few colors that the commands print.

const COLORS = { 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 36: "#79c0ff" };
const TEXT = "#e6edf3";
const DIM = "#8b949e";
const BACKGROUND = "#0d1117";
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
const [SIZE, ADVANCE, LINE, MARGIN] = [14, 8.43, 20, 20];

/** @param lines lines of a terminal, with its codes for colors */
export function drawTerminal(lines, title) {
  const columns = Math.max(...lines.map((line) => line.replaceAll(CODE, "").length));
  const width = Math.ceil(columns * ADVANCE) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.map((line, i) => {
    const y = MARGIN + (i + 1) * LINE - 5;
    return `  <text x="${MARGIN}" y="${y}">${spans(line).map(drawSpan).join("")}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `  <title>${escape(title)}</title>`,
    `  <rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `  <g font-family="${FONT}" font-size="${SIZE}" fill="${TEXT}" xml:space="preserve">`,
    ...texts,
    "  </g>",
    "</svg>",
    "",
  ].join("\n");
}

// oxlint-disable-next-line no-control-regex
const CODE = /\u001b\[([\d;]*)m/g;

/** Splits a line where its format changes. */
function spans(line) {
  const parts = line.split(CODE);
  const format = { color: undefined, bold: false, dim: false };
  return parts.flatMap((part, i) => {
    if (i % 2 === 0) return part === "" ? [] : [{ text: part, ...format }];
    for (const code of part.split(";").map(Number)) apply(format, code);
    return [];
  });
}

function apply(format, code) {
  if (code === 0) Object.assign(format, { color: undefined, bold: false, dim: false });
  else if (code === 1) format.bold = true;
  else if (code === 2) format.dim = true;
  else if (code === 22) Object.assign(format, { bold: false, dim: false });
  else if (code === 39) format.color = undefined;
  else if (code in COLORS) format.color = COLORS[code];
}

function drawSpan({ text, color, bold, dim }) {
  const fill = color ?? (dim ? DIM : undefined);
  const attributes = `${fill ? ` fill="${fill}"` : ""}${bold ? ' font-weight="bold"' : ""}`;
  return `<tspan${attributes}>${escape(text)}</tspan>`;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
