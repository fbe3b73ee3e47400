/**
 * Why people turn Stop hooks off, each with and without the feature against it: in a real Codex, with a real repository
 * and real tools. The model is a script that reacts to what it reads. `make test-hosts` prints the figures. Codex has no
 * agents in the background, so that scenario sends what Claude Code sends to a process of `stop-hook`.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "@test/helpers/built";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { start } from "@test/helpers/gauntlet/stopHookCommand";
import { CHECKED_SRC } from "@test/helpers/hooks/stopHookProject";
import { shellWord } from "@test/helpers/hooks/hookProject";
import { figuresOf, reasonsOf, report, type Figures } from "@test/hosts/complaints/Figures";
import { worker, type Habits } from "@test/hosts/complaints/Worker";
import { codex } from "@test/hosts/rig/codex";
import { readRecord, recording, type RecordedCall } from "@test/hosts/rig/HookRecord";
import { HostRig, type HostRigOptions } from "@test/hosts/rig/HostRig";
import { commandOf } from "@test/hosts/rig/installed";

const TIMEOUT = { timeout: 400_000 };

interface Case extends Omit<HostRigOptions, "replies" | "commands"> {
  readonly habits: (rig: () => HostRig) => Habits;
  /** A Stop hook without a gauntlet: a shell command. */
  readonly plainHook?: string;
  /** What the user says. The default is one message. */
  readonly messages?: readonly string[];
}

interface Played extends Figures {
  readonly rig: HostRig;
  readonly calls: readonly RecordedCall[];
  readonly reasons: readonly string[];
  readonly shown: string;
}

/** Lets Codex work to the end of its user's messages, and reports what its stops cost. */
async function play(scenario: string, way: string, options: Case): Promise<Played> {
  const { habits, plainHook, messages = ["Do it."], ...rest } = options;
  let rig: HostRig | undefined = undefined;
  rig = await HostRig.create(codex, {
    ...rest,
    commands: (installed, home) =>
      recording(join(home, "record"), { ...installed, stop: plainHook ?? installed.stop }),
    replies: () => worker(habits(() => rig!)),
  });
  const [first = "", ...others] = messages;
  let shown = (await rig.say(first)).stderr;
  for (const message of others) shown += (await rig.sayMore(message)).stderr;
  const calls = await readRecord(join(rig.home, "record"));
  const figures = figuresOf(calls, rig.model.requests.length);
  await report(scenario, way, figures);
  return { ...figures, rig, calls, reasons: reasonsOf(calls), shown };
}

const write = (rig: () => HostRig, path: string, text: string) => ({
  ...{ text: "I look at the files.", tools: [shell("ls src")] },
  before: () => rig().gauntlet.write(path, text),
});
const shell = (cmd: string) => ({ name: "exec_command", input: { cmd } });
const tool = (...parts: string[]): string =>
  `${process.execPath} ${shellWord(join(repository, "node_modules", ...parts))}`;
const TSC = `${tool("typescript", "bin", "tsc")} --noEmit --pretty false`;
const OXFMT = tool("oxfmt", "bin", "oxfmt");

describe.runIf(commandOf("codex") !== undefined)("a Stop hook in Codex", () => {
  test("runs only the tests that changed", TIMEOUT, async () => {
    const scenario = "the whole suite at every stop";
    const body = (n: number, expected: number): string =>
      `require("node:test")("${n}", () => new Promise((done) => setTimeout(done, 100)).then(() => require("node:assert").equal(${n}, ${expected})));\n`;
    const files = Object.fromEntries(
      Array.from({ length: 24 }, (_, n) => [`src/t${n}.test.js`, body(n, n)])
    );
    const habits: Case["habits"] = (rig) => {
      let done = 0;
      return {
        works: () => [write(rig, "src/t7.test.js", body(7, ++done))],
        reacts: () => [write(rig, "src/t7.test.js", `// ${done}\n${body(7, 7)}`)],
      };
    };
    const suite = `${process.execPath} --test --test-concurrency=1`;
    const messages = ["Do it.", "Do more."];
    const common = { files, habits, messages };
    const all = await play(scenario, "all tests", { ...common, check: `${suite} *.test.js` });
    const only = await play(scenario, "{files}", {
      ...common,
      check: `${suite} {files}`,
      fields: 'files: ["*.test.js"]\n',
    });
    expect([all.blocked, only.blocked]).toEqual([2, 2]);
    expect(only.seconds).toBeLessThan(all.seconds / 2);
    const text: Case = {
      ...common,
      habits: (rig) => ({
        works: () => [write(rig, "src/note.txt", String(Math.random()))],
        reacts: () => [],
      }),
      check: `${suite} *.test.js`,
    };
    const always = await play(scenario, "only a text changed", text);
    const never = await play(scenario, "only a text changed, when", {
      ...text,
      fields: 'when: ["*.test.js"]\n',
    });
    expect([always.blocked, never.blocked]).toEqual([0, 0]);
    expect(never.seconds).toBeLessThan(always.seconds / 2);
  });

  test("repeats a flaky test instead of having working code changed", TIMEOUT, async () => {
    const scenario = "a flaky test";
    // Every other run fails.
    const flaky = `const fs = require("node:fs");
require("node:test")("flaky", () => {
  const runs = fs.existsSync("../.git/runs") ? Number(fs.readFileSync("../.git/runs", "utf8")) : 0;
  fs.writeFileSync("../.git/runs", String(runs + 1));
  if (runs % 2 === 0) throw new Error("Timeout after 100 ms");
});
`;
    let useless = 0;
    const common: Case = {
      files: { "src/flaky.test.js": flaky },
      habits: (rig) => ({
        works: () => [write(rig, "src/code.js", "exports.works = true;\n")],
        reacts: () => [write(rig, "src/code.js", `exports.works = ${++useless};\n`)],
      }),
      check: `${process.execPath} --test flaky.test.js`,
    };
    const without = await play(scenario, "one run", common);
    expect([without.blocked, useless]).toEqual([1, 1]);
    const repeated = await play(scenario, "retries: 1", { ...common, fields: "retries: 1\n" });
    expect([repeated.blocked, useless, repeated.tokens]).toEqual([0, 1, 0]);
    expect(answersOf(repeated)).toContain("flaky");
  });

  test("sends a long report once, with the findings first", TIMEOUT, async () => {
    const scenario = "the same long report at every stop";
    const errors = Array.from({ length: 400 }, (_, n) => `export const v${n}: number = "${n}";\n`);
    const common: Case = {
      config: "max_retries: 3\n",
      check: `${TSC} code.ts`,
      habits: (rig) => ({
        works: () => [write(rig, "src/code.ts", errors.join(""))],
        reacts: () => [{ text: "I cannot repair this." }],
      }),
    };
    // What such a hook often looks like: it sends the whole output, up to a number of times.
    const hook = `cd src; out=$(${TSC} code.ts) && echo "{}" && exit; n=$(cat ../.git/n 2>/dev/null || echo 0); echo $((n + 1)) > ../.git/n; test $n -lt 3 || { echo "{}"; exit; }; printf "The check failed.\\n%s" "$out" | ${process.execPath} -p "JSON.stringify({ decision: 'block', reason: require('fs').readFileSync(0, 'utf8') })"`;
    const plain = await play(scenario, "a plain hook", { ...common, plainHook: hook });
    // Each stop has another tree, so that none of them is a repetition.
    const notes: Case["habits"] = (rig) => ({
      ...common.habits(rig),
      reacts: (reason) => [write(rig, "plan.txt", reason), { text: "I cannot repair this." }],
    });
    const full = await play(scenario, "the tree differs", { ...common, habits: notes });
    const once = await play(scenario, "the tree is the same", common);
    // A tree that does not change uses up two attempts (G19).
    expect([plain, full, once].map(({ blocked }) => blocked)).toEqual([3, 3, 2]);
    expect(once.reasons[0]).toMatch(/code\.ts:1:14 /);
    expect(once.reasons.every(({ length }) => length <= 6_000)).toBe(true);
    expect(once.reasons[1]).not.toContain("\n");
    expect(full.tokens).toBeLessThan(plain.tokens / 2);
    expect(once.tokens).toBeLessThan(full.tokens / 2);
  });

  test("formats a file without a turn of the model", TIMEOUT, async () => {
    const scenario = "a formatter costs a turn";
    const common: Case = {
      check: `${OXFMT} --check {files}`,
      fields: 'files: ["*.ts"]\n',
      habits: (rig) => ({
        works: () => [write(rig, "src/code.ts", "export   const a = {b:1}\n")],
        reacts: () => [{ tools: [shell(`cd src && ${OXFMT} --write code.ts`)] }],
      }),
    };
    const without = await play(scenario, "only the check", common);
    const fix = `fix: ${JSON.stringify(`${OXFMT} --write {files}`)}\n`;
    const fixed = await play(scenario, "fix", { ...common, fields: `${common.fields}${fix}` });
    expect([without.blocked, fixed.blocked, fixed.tokens]).toEqual([1, 0, 0]);
    expect(fixed.requests).toBeLessThan(without.requests!);
    for (const { rig } of [without, fixed])
      expect(await rig.gauntlet.read("src/code.ts")).toBe("export const a = { b: 1 };\n");
    expect(answersOf(fixed)).toContain("src/code.ts");
  });

  test("names what failed, so that the agent need not search a log", TIMEOUT, async () => {
    const scenario = "what failed is buried in a log";
    const wrong = 'export const a: number = "1";\n';
    const common: Case = {
      // The error is followed by what a build prints.
      check: `${TSC} code.ts; code=$?; seq 1 4000 | sed "s/.*/bundled module & in 12 ms/"; exit $code`,
      habits: (rig) => ({
        works: () => [write(rig, "src/code.ts", wrong)],
        reacts: (reason) => {
          const repair = {
            text: "I repair it.",
            tools: [shell("sed -i s/number/string/ src/code.ts")],
          };
          if (/code\.ts[:(]1\b/.test(reason)) return [repair];
          const log = /\/\S*check\S*\.log/.exec(reason)?.[0] ?? "no log";
          return [
            { text: "I read the log.", tools: [shell(`cat ${log}`)] },
            { text: "I search the log.", tools: [shell(`grep -n error ${log}`)] },
            repair,
          ];
        },
      }),
    };
    const without = await play(scenario, "findings: none", {
      ...common,
      fields: "findings: none\n",
    });
    const found = await play(scenario, "findings", common);
    expect([without.blocked, found.blocked]).toEqual([1, 1]);
    expect(found.reasons[0]).toMatch(/code\.ts:1:14 /);
    expect(found.requests).toBeLessThan(without.requests!);
  });
});

test("a Stop hook of Claude Code waits for agents in the background", TIMEOUT, async () => {
  const scenario = "it blocks while agents work in the background";
  const run = async (way: string, sendsTasks: boolean): Promise<Figures> => {
    const project = await GauntletProject.create(CHECKED_SRC, { ok: "command: test ! -e bad\n" });
    await project.write("src/bad", "x");
    const calls: RecordedCall[] = [];
    const stop = async (...ids: readonly string[]): Promise<void> => {
      const tasks = ids.map((id) => ({ id, type: "subagent", status: "running" }));
      const blocked = reasonsOf(calls).length > 0;
      const input = {
        ...{ session_id: "s", cwd: project.dir, prompt_id: "t", effort: { level: "medium" } },
        ...{ permission_mode: "bypassPermissions", hook_event_name: "Stop" },
        ...{ stop_hook_active: blocked, last_assistant_message: `I wait (${calls.length}).` },
        ...(sendsTasks ? { background_tasks: tasks } : {}),
        session_crons: [],
      };
      const begin = performance.now();
      const args = ["--verify", "--host", "claude", "--limit", "300"];
      const command = await start(project.dir, { args });
      const { stdout } = await command.close(JSON.stringify(input)).end;
      const seconds = (performance.now() - begin) / 1_000;
      calls.push({ hook: "stop", input, answer: stdout, seconds, env: {} });
    };
    // Two agents work one after the other. The last one repairs the file.
    await stop("first");
    await stop("second");
    await project.remove("src/bad");
    await stop();
    expect(calls.at(-1)?.answer).not.toContain('"block"');
    const figures = figuresOf(calls);
    await report(scenario, way, figures);
    return figures;
  };
  const without = await run("without background_tasks", false);
  const waits = await run("background_tasks", true);
  expect([without.blocked, waits.blocked, waits.tokens]).toEqual([2, 0, 0]);
});

function answersOf({ calls }: Played): string {
  return calls.map(({ answer }) => answer).join("");
}
