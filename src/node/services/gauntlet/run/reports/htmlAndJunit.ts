/** Formats the report of a run as a self-contained HTML page without scripts, and as JUnit XML (G50). */
import { formatDuration } from "@/common/formatDuration";
import { plural } from "@/common/safeText";
import * as reporting from "@/node/services/gauntlet/run/reports/createReport";
import { placeOf } from "@/node/services/gauntlet/gates/findings/formatFindings";
import { groupBy } from "@/node/services/gauntlet/domain/candidateJobs";
import { isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";

export function html(report: reporting.Report): string {
  const { result, findings, startedAt, durationMs } = report;
  const isGood = isSuccessStatus(result.status);
  const rows = result.gates.map((gate) => {
    const count = findings.filter((finding) => finding.gate === gate.jobId).length;
    const why =
      gate.message === undefined
        ? ""
        : `<div class="why">${reporting.escapeMarkup(gate.message)}</div>`;
    const runs = lastRuns(report.history.get(gate.jobId) ?? []);
    return `<tr><th scope="row"><code>${reporting.escapeMarkup(gate.jobId)}</code>${why}</th><td><span class="mark ${gate.outcome}">${reporting.outcomeWord(gate)}</span>${runs}</td><td class="number">${formatDuration(gate.durationMs)}</td><td class="number">${count === 0 ? "–" : count.toLocaleString("en-US")}</td></tr>`;
  });
  const reviews = result.gates.flatMap((gate) =>
    (gate.slots ?? []).map(({ slot, reviewer, outcome, message = "" }) => {
      const own = report.violations.filter((one) => one.gate === gate.jobId && one.slot === slot);
      const items = own.map(violationItem).join("\n");
      return `<li><code>${reporting.escapeMarkup(gate.jobId)}</code> by ${reporting.escapeMarkup(reviewer)}: <span class="mark ${outcome}">${outcome.replace("_", " ")}</span> ${reporting.escapeMarkup(message)}${items === "" ? "" : `<ul>${items}</ul>`}</li>`;
    })
  );
  const sent = report.sent.map(
    ({ run, text }, i) =>
      `<details${i === report.sent.length - 1 ? " open" : ""}><summary>Attempt ${i + 1} <span class="why">run ${run}</span></summary><pre tabindex="0">${reporting.escapeMarkup(text)}</pre></details>`
  );
  const skipped = result.skipped.map(
    ({ issue, reason }) =>
      `<li>${reporting.escapeMarkup(issue)}<div class="why">Skipped: ${reporting.escapeMarkup(reason)}</div></li>`
  );
  const time = startedAt.toISOString();
  const took = durationMs === undefined ? "" : `, in ${formatDuration(durationMs)}`;
  const title = `Gauntlet: ${reporting.escapeMarkup(result.message)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="${isGood ? "good" : "bad"}">
<h1>${title}</h1>
<p>${plural(result.gatesRun, "gate")} ran, ${result.gatesFailed} failed${took}. <time datetime="${time}">${time.slice(0, 16).replace("T", " ")} UTC</time></p>
</header>
<main>
${list(
  "Notes",
  result.warnings.map((text) => `<li>${reporting.escapeMarkup(text)}</li>`)
)}
<section aria-labelledby="gates"><h2 id="gates">Gates</h2>
<table><thead><tr><th scope="col">gate</th><th scope="col">result, last runs</th><th scope="col" class="number">time</th><th scope="col" class="number">findings</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table></section>
${findingsByFile(findings)}
${list("Reviews", reviews)}
${sent.length === 0 ? "" : `<section aria-labelledby="sent"><h2 id="sent">Sent to the agent</h2>${sent.join("\n")}</section>`}
${list("Skipped violations", skipped)}
</main>
</body>
</html>
`;
}

/** The number of runs in the history of a gate. */
const MAX_RUNS = 10;

/** Shows how a check ended in its last runs, the latest last, as marks that a screen reader reads as words. */
function lastRuns(outcomes: readonly string[]): string {
  const last = outcomes.slice(-MAX_RUNS);
  if (last.length < 2) return "";
  const marks = last.map((outcome) => {
    const [name, mark] = outcome === "passed" ? ["passed", "●"] : ["failed", "✕"];
    return `<span class="${name}">${mark}</span>`;
  });
  const label = reporting.escapeMarkup(`last ${last.length} runs: ${last.join(", ")}`);
  return `<div class="runs" role="img" aria-label="${label}" title="${label}">${marks.join("")}</div>`;
}

function violationItem({ place, issue, fix, status, reason }: reporting.ReportedViolation): string {
  const details = [
    ...(fix === "" ? [] : [`Suggestion: ${fix}`]),
    ...(reason === "" ? [] : [`${status === "skipped" ? "Skipped" : "The agent"}: ${reason}`]),
  ].map((text) => `<div class="why">${reporting.escapeMarkup(text)}</div>`);
  return `<li><span class="tag">${reporting.escapeMarkup(status)}</span> <code>${reporting.escapeMarkup(place)}</code> ${reporting.escapeMarkup(issue)}${details.join("")}</li>`;
}

function list(title: string, items: readonly string[]): string {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return items.length === 0
    ? ""
    : `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul>${items.join("\n")}</ul></section>`;
}

function findingsByFile(findings: readonly reporting.ReportedFinding[]): string {
  if (findings.length === 0) return "";
  const byFile = groupBy(findings, ({ file = "Without a file" }) => [file]);
  const files = [...byFile].map(([file, own]) => {
    const changed = own.filter(({ onChangedLine }) => onChangedLine).length;
    const note = changed === 0 ? "" : `, ${changed} on changed lines`;
    const items = own
      .toSorted(
        (a, b) => Number(b.onChangedLine) - Number(a.onChangedLine) || (a.line ?? 0) - (b.line ?? 0)
      )
      .map((finding) => {
        const { severity, message, rule, test, line, column, onChangedLine } = finding;
        const place = line === undefined ? "" : placeOf({ file: "", line, column }).slice(1);
        const name = rule ?? test;
        return `<li class="${severity}${onChangedLine ? " changed" : ""}"><span class="place">${place}</span> <span class="severity">${severity}</span> ${reporting.escapeMarkup(message)}${name === undefined ? "" : ` <code>${reporting.escapeMarkup(name)}</code>`}${onChangedLine ? ' <span class="tag">changed line</span>' : ""}</li>`;
      });
    return `<details${byFile.size <= MAX_OPEN ? " open" : ""}><summary><code>${reporting.escapeMarkup(file)}</code> ${plural(own.length, "finding")}${note}</summary><ul>${items.join("\n")}</ul></details>`;
  });
  return `<section aria-labelledby="findings"><h2 id="findings">Findings</h2>${files.join("\n")}</section>`;
}

/** Files that are shown open. With more of them, the names alone are the overview. */
const MAX_OPEN = 20;

const STYLE = `
:root{color-scheme:light dark;--text:#1c2128;--dim:#57606a;--back:#fff;--line:#d0d7de;--good:#116329;--bad:#a40e26;--warn:#7d4e00;--soft:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--dim:#9da7b3;--back:#0d1117;--line:#30363d;--good:#56d364;--bad:#ff7b72;--warn:#e3b341;--soft:#161b22}}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
header,main{max-width:60rem;margin:0 auto;padding:0 1rem}
header{border-bottom:4px solid;margin-bottom:1rem}header.good{border-color:var(--good)}header.bad{border-color:var(--bad)}
h1{font-size:1.4rem;margin:1.5rem 0 .25rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:1.5rem 0 .5rem}
header p{color:var(--dim);margin:.25rem 0 1rem}code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .5rem;border-bottom:1px solid var(--line);vertical-align:top;font-weight:normal}
thead th{color:var(--dim);font-size:.85rem}.number{text-align:right;white-space:nowrap}.why{color:var(--dim);font-size:.85rem;overflow-wrap:anywhere}
.mark{font-weight:600;white-space:nowrap}.passed,.good .mark{color:var(--good)}.failed,.error .severity{color:var(--bad)}.mark.error,.warning .severity{color:var(--warn)}
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;content-visibility:auto;contain-intrinsic-size:auto 3rem}
summary{padding:.4rem .6rem;cursor:pointer;background:var(--soft);border-radius:6px;overflow-wrap:anywhere}
ul{margin:.5rem 0;padding:0 .6rem;list-style:none}li{padding:.25rem .4rem;overflow-wrap:anywhere;border-left:3px solid transparent}
li.changed{border-color:var(--warn);background:var(--soft)}.place{color:var(--dim);font-variant-numeric:tabular-nums;display:inline-block;min-width:3.5rem}
.severity{font-size:.85rem;font-weight:600}.tag{font-size:.75rem;color:var(--dim);border:1px solid var(--line);border-radius:9px;padding:0 .4rem;white-space:nowrap}
pre{margin:0;padding:.6rem;white-space:pre-wrap;overflow-wrap:anywhere;font:.8rem/1.45 ui-monospace,monospace;max-height:30rem;overflow:auto}
section>ul{padding:0}summary code{word-break:break-all}
@media(max-width:30rem){th,td{padding:.4rem .25rem;font-size:.9rem}thead th{font-size:.75rem}}
.runs{font-size:.7rem;letter-spacing:.1em}li ul{margin:.25rem 0}
@media print{pre{max-height:none}details::details-content{content-visibility:visible;block-size:auto}details{content-visibility:visible;break-inside:avoid}body{font-size:12px}}
`.replaceAll("\n", "");

export function junit({ result, findings, startedAt, durationMs = 0 }: reporting.Report): string {
  const suites = result.gates.map((gate) => {
    const own = findings.filter((finding) => finding.gate === gate.jobId);
    const cases = own.map((finding) => {
      const { message, rule, test, file } = finding;
      const name = test ?? `${placeOf(finding)} ${rule ?? ""}`.trim();
      const attributes = attributesOf({ name: name || message, classname: gate.jobId, file });
      const failure = attributesOf({ message, type: rule ?? finding.severity });
      return `<testcase${attributes} time="0"><failure${failure}>${reporting.escapeMarkup(`${placeOf(finding)} ${message}`.trim())}</failure></testcase>`;
    });
    const tests = gate.outcome === "failed" && cases.length > 0 ? cases : [gateCase(gate)];
    const counts = attributesOf({
      name: gate.jobId,
      tests: tests.length,
      failures: gate.outcome === "failed" ? tests.length : 0,
      errors: gate.outcome === "error" ? tests.length : 0,
      skipped: isSkipped(gate) ? tests.length : 0,
      time: seconds(gate.durationMs),
      timestamp: startedAt.toISOString().slice(0, 19),
    });
    return `  <testsuite${counts}>\n${tests.map((line) => `    ${line}\n`).join("")}  </testsuite>\n`;
  });
  const total = attributesOf({ name: "gauntlet", time: seconds(durationMs) });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${total}>\n${suites.join("")}</testsuites>\n`;
}

/** Returns the only test case of a gate without findings. */
function gateCase(gate: GateResult): string {
  const { jobId, outcome, message = "", durationMs } = gate;
  const attributes = attributesOf({ name: jobId, classname: jobId, time: seconds(durationMs) });
  const elements: Partial<Record<string, string>> = { failed: "failure", error: "error" };
  const element = isSkipped(gate) ? "skipped" : elements[outcome];
  const inside = element === undefined ? "" : `<${element}${attributesOf({ message })}/>`;
  return `<testcase${attributes}>${inside}</testcase>`;
}

const isSkipped = ({ outcome }: GateResult): boolean =>
  ["skipped", "cancelled", "no_files"].includes(outcome);

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

function attributesOf(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [` ${name}="${reporting.escapeMarkup(String(value))}"`]
    )
    .join("");
}
