/** The first load of checkouts that nobody trusts and that try to freeze the host, each in a new process (H5, H31). */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { KIB, MIB } from "@/common/limits";
import { ratioOf, Turns, type Benchmark, type Figure } from "./lib";

const LIBRARY = new URL("../dist/index.js", import.meta.url).href;
const ROUNDS = 15;

type Files = Readonly<Record<string, string>>;

const IMPORTING = JSON.stringify({ importClaudeHooks: true });
const EMPTY: Files = { ".mux/settings.json": "{}" };

/** The files of a checkout, by the name of the attack. */
const ATTACKS: Readonly<Record<string, () => Files>> = {
  hooks: () => ({ ".mux/settings.json": settings(480, 500) }),
  values: () => ({ ".mux/settings.json": `{"a": [${"[],".repeat(80 * KIB)}0]}` }),
  imported: () => ({
    ".mux/settings.json": IMPORTING,
    ".claude/settings.json": `{"a": [${"[],".repeat(15 * MIB)}0]}`,
    ".claude/settings.local.json": settings(10, 4_000),
  }),
  marketplace: () => ({
    ".mux/settings.json": IMPORTING,
    ".claude/settings.json": JSON.stringify({
      enabledPlugins: { "p@m": true },
      extraKnownMarketplaces: { m: { source: { source: "directory", path: "./m" } } },
    }),
    "m/.claude-plugin/marketplace.json": "[".repeat(4 * MIB),
  }),
};

/** Returns settings with hooks whose commands have `chars` characters. */
function settings(chars: number, count: number): string {
  const handlers = Array.from({ length: count }, (_, i) => ({
    type: "command",
    command: `true ${i}`.padEnd(chars, " x"),
  }));
  return JSON.stringify({ hooks: { Stop: [{ hooks: handlers }] } });
}

/** Returns the CPU time in milliseconds of the first and of a later load, in a new process. */
async function loading(dir: string, read?: string): Promise<{ first: number; later: number }> {
  const script = `
    import { readFileSync } from "node:fs";
    import { loadHookSettings, LocalRuntime } from ${JSON.stringify(LIBRARY)};
    const [dir, read] = ${JSON.stringify([dir, read ?? null])};
    // The default policy counts the items as well.
    const trust = { decide: async ({ items }) => ({ trusted: false, message: String(items.length) }) };
    const load = { env: { MUX_ROOT: dir + "/../user" }, home: dir + "/..", trust };
    const runtime = new LocalRuntime();
    const times = [];
    for (let i = 0; i < 3; i++) {
      const before = process.cpuUsage();
      if (read) readFileSync(read, "utf8");
      await loadHookSettings(runtime, dir, load);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    console.log(JSON.stringify(times));
    process.exit(0);`;
  const { stdout } = await execa(process.execPath, ["--input-type=module", "--eval", script]);
  const [first = NaN, , later = NaN] = JSON.parse(stdout) as number[];
  return { first, later };
}

async function write(dir: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
}

async function measure(attack: string, files: Files): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), "hooks-bench-"));
  const [empty, hostile, budget] = ["empty", "hostile", "budget"].map((name) => join(root, name));
  try {
    await write(empty ?? "", EMPTY);
    await write(hostile ?? "", files);
    await writeFile(budget ?? "", "x".repeat(MIB));
    const first: Record<"floor" | "ours", number>[] = [];
    const later: Record<"floor" | "ours", number>[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const floor = await loading(empty ?? "", budget);
      const ours = await loading(hostile ?? "");
      first.push({ floor: floor.first, ours: ours.first });
      later.push({ floor: ours.first, ours: ours.later });
    }
    const load = `load of an untrusted checkout (${attack}), in CPU time`;
    return [
      {
        id: `untrusted-${attack}`,
        claim: `the first ${load}, against that of an empty one and a read of 1 MiB`,
        ...ratioOf(new Turns(first)),
      },
      {
        id: `untrusted-${attack}-later`,
        claim: `a later ${load}, against the first`,
        ...ratioOf(new Turns(later)),
      },
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

export const benchmarks: Benchmark[] = Object.entries(ATTACKS).map(([attack, files]) => ({
  ids: [`untrusted-${attack}`, `untrusted-${attack}-later`],
  measure: () => measure(attack, files()),
}));
