/** Compares the tables of agent hosts in the reference with the definitions of the hosts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT_HOSTS, unknownHost } from "@/cli/gauntlet/hosts/index";
import type { AgentHost, HookHost, HostAnswer, KnownHost } from "@/cli/gauntlet/hosts/types";
import { HOOK_NAMES } from "@/cli/gauntlet/options";
import { InstalledHooks } from "@/cli/gauntlet/init/hooks/InstalledHooks";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { repository } from "@test/helpers/built";
import { readReference } from "@test/helpers/docs/markdown";
import { tableWith } from "@test/helpers/docs/tables";
import { InitProject } from "@test/helpers/gauntlet/initProject";

const REFERENCE = readReference("gauntlet");
const GUIDE = readFileSync(join(repository, "docs/agents.md"), "utf8");

const code = (text: string): string => `\`${text}\``;
const titleOf = (host: AgentHost | HookHost): string =>
  "install" in host ? host.install.title : "unknown";

test("each folder is a host, which --hook accepts (G29)", () => {
  const folder = join(repository, "src/cli/gauntlet/hosts");
  const folders = readdirSync(folder).filter((name) => !name.endsWith(".ts"));
  expect(HOOK_HOSTS.map(({ name }) => name).sort()).toEqual(folders.sort());
  expect(HOOK_HOSTS.map(({ name }) => name)).toEqual(HOOK_NAMES);
});

test("lists the answers to each agent host (G27b)", () => {
  const rows = tableWith("begins a turn", REFERENCE);
  expect(
    rows.map((row) => ({
      host: row["agent host"],
      length: row["`reason` at most"],
      begins: row["begins a turn"],
      variables: row.variables,
    }))
  ).toEqual(
    [...AGENT_HOSTS, unknownHost].map((host) => ({
      host: titleOf(host),
      length: `${host.limits.reasonChars.toLocaleString("en")} characters`,
      begins: host.beginsTurnWhenInactive ? "yes" : "no",
      variables: host.ownVariables.map(code).join(", "),
    }))
  );
});

/** Joins the titles of hosts as a sentence does. */
const listed = (hosts: readonly (AgentHost & Partial<HookHost>)[]): string =>
  new Intl.ListFormat("en-GB").format(hosts.map(titleOf));

/** Joins the lines of the text, so that a sentence in it is one line. */
const PROSE = REFERENCE.replaceAll(/\s*\n\s*/g, " ");

/** Returns the part of a sentence between two texts. */
const between = (begin: string, end: string): string =>
  PROSE.split(begin)[1]?.split(end)[0] ?? `no sentence has "${begin}"`;

test("names the hosts that show a message of turn-start, and those that take context (G27a)", () => {
  const hosts = [...AGENT_HOSTS, unknownHost];
  const shown = listed(hosts.filter((host) => host.showsAtTurnStart));
  expect(between("prints a `systemMessage` for the hosts that show it: ", ".")).toBe(shown);
  const taken = listed(hosts.filter((host) => host.takesContext));
  expect(between("prints a line of context for the agent, for ", ":")).toBe(taken);
});

test("names the time that each host gives a command without a limit (G29)", () => {
  const limitOf = ({ install }: KnownHost): number => install.stop.limit?.defaultS ?? 0;
  const seconds = [...new Set(AGENT_HOSTS.map(limitOf))].sort((a, b) => b - a);
  const limits = seconds.map(
    (limitS) => `${limitS} s in ${listed(AGENT_HOSTS.filter((host) => limitOf(host) === limitS))}`
  );
  const others = `and ${seconds.at(-1)} s in the others`;
  expect(between("Without a field for it, this is ", ".")).toBe(
    [...limits.slice(0, -1), others].join(", ")
  );
});

test("lists the files and the events of each agent host (G29)", async () => {
  const project = await InitProject.create();
  const rows = HOOK_HOSTS.map(async (host) => {
    const { stop, turnStart, title } = host.install;
    const { layers } = await InstalledHooks.read(host, project.place());
    const target = (scope: "personal" | "shared"): string => {
      const file = layers.find((layer) => layer.file.targetOf.includes(scope))?.file;
      const path = file?.path.replace(`${project.dir}/`, "").replace(project.home, "~");
      return path === undefined ? "" : code(path);
    };
    const [limit] = Object.entries(stop.fields).filter(([, value]) => typeof value === "number");
    const events = [stop, turnStart].flatMap((entry) => entry?.event ?? []);
    return {
      "agent host": title,
      "`--hook`": code(host.name),
      "personal file": target("personal"),
      "shared file": target("shared"),
      events: events
        .filter((event) => event !== "")
        .map(code)
        .join(", "),
      "time limit": limit === undefined ? "" : code(`${limit[0]}: ${String(limit[1])}`),
    };
  });
  expect(tableWith("shared file", REFERENCE)).toEqual(await Promise.all(rows));
});

test("describes each agent host in the guide, and names those that cannot be held", () => {
  const rows = tableWith("holds the agent", GUIDE);
  expect(rows.slice(0, HOOK_HOSTS.length)).toEqual(
    HOOK_HOSTS.map(({ name, install, about }) => {
      const [holds, sees, cap, trust, tried] = about.split(" | ");
      return {
        agent: install.title,
        "`--hook`": code(name),
        "holds the agent": holds,
        "the user sees of an unverified end": sees,
        "its own cap": cap,
        ...{ trust, tried },
      };
    })
  );
  const others = rows.slice(HOOK_HOSTS.length).map((row) => row.agent);
  for (const name of ["Windsurf", "Cline", "Claude Code on the web", "Cursor's cloud agents"]) {
    expect(others).toContain(name);
  }
});

/** Describes an answer by where its texts are. */
function formOf({ stdout, stderr, exitCode }: HostAnswer): string {
  if (stderr !== "") return `exit code ${exitCode}, stderr`;
  const json = JSON.stringify(JSON.parse(stdout === "" ? "{}" : stdout));
  const { hookSpecificOutput, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const names = ["systemMessage", "followup_message"].filter((name) => name in fields);
  if (hookSpecificOutput !== undefined) names.unshift("hookSpecificOutput");
  if (fields.decision === "block") names.unshift("decision");
  return names.length === 0 ? "nothing" : names.map(code).join(", ");
}

const SITUATIONS = [
  "a stop that fails",
  "the second stop of a turn",
  "the retry limit",
  "a pass",
  "an interrupted turn",
  "a sub-agent",
  "a new message",
];

function situationsOf(host: AgentHost & Partial<HookHost>): string[] {
  const { answer, readInput, limits, install } = host;
  const isAborted = ["status", "reason", "stop_reason", "stopReason"].every(
    (field) => readInput({ [field]: "aborted" }).isAborted
  );
  return [
    formOf(answer({ result: createResult("failed"), reason: "Fix it." })),
    limits.isOnce === true ? "not sent" : "checked",
    formOf(
      answer({ result: createResult("retry_limit_exceeded"), personMessage: "Not verified." })
    ),
    formOf(answer({ result: createResult("passed") })),
    isAborted ? "nothing runs" : "checked",
    install?.stop.event.startsWith("Subagent") === true ? "checked" : "not sent",
    install?.turnStart === undefined ? "" : code(install.turnStart.event),
  ];
}

test("lists what each agent host gets in each situation (G27b)", () => {
  const engines = HOOK_HOSTS.flatMap(({ install: { title, engine } }) =>
    engine === undefined ? [] : [[title, ...engine.situations.split(" | ")]]
  );
  const agents = [...AGENT_HOSTS, unknownHost].map((host) => [
    titleOf(host),
    ...situationsOf(host),
  ]);
  const columns = ["agent", ...SITUATIONS];
  expect(tableWith("a stop that fails", GUIDE)).toEqual(
    [...agents.slice(0, -1), ...engines, ...agents.slice(-1)].map((cells) =>
      Object.fromEntries(columns.map((column, i) => [column, cells[i]]))
    )
  );
});
