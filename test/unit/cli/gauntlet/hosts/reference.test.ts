/** Compares the tables of agent hosts in the reference with the definitions of the hosts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT_HOSTS, unknownHost } from "@/cli/gauntlet/hosts/index";
import type { AgentHost, HookScope, HostAnswer } from "@/cli/gauntlet/hosts/types";
import { isInstallable } from "@/cli/gauntlet/init/hooks/installable";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import { repository } from "@test/helpers/built";

const REFERENCE = readFileSync(join(repository, "docs/reference/gauntlet.md"), "utf8");
const GUIDE = readFileSync(join(repository, "docs/agents.md"), "utf8");

/** Returns the rows of the table that has a column with that title, as cells by column. */
function tableWith(column: string, page = REFERENCE): Record<string, string>[] {
  const tables = page.split("\n\n").filter((block) => block.startsWith("|"));
  const [table] = tables.filter((block) => block.split("\n")[0]!.includes(`| ${column} `));
  const [titles, , ...rows] = (table ?? "").split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  );
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [titles![i]!, cell])));
}

const code = (text: string): string => `\`${text}\``;
const titleOf = ({ install }: AgentHost): string => install?.title ?? "unknown";

test("lists the answers to each agent host (G27b)", () => {
  const rows = tableWith("inactive begins a turn");
  expect(
    rows.map((row) => ({
      host: row["agent host"],
      length: row["maximum length of `reason`"],
      begins: row["inactive begins a turn"],
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

test("lists the files and the events of each agent host (G29)", () => {
  const rows = tableWith("shared file");
  const place = { home: "~", projectDir: "", env: {} };
  const installable = AGENT_HOSTS.filter(isInstallable);
  expect(rows.slice(0, installable.length)).toEqual(
    installable.map(({ name, install }) => {
      const target = (scope: HookScope): string => {
        const file = install.files(place).find(({ targetOf }) => targetOf.includes(scope));
        return file === undefined ? "" : code(file.path.replace(/^\//, ""));
      };
      const [limit] = Object.entries(install.stop.fields).filter(
        ([, value]) => typeof value === "number"
      );
      return {
        "agent host": install.title,
        "`--hook`": code(name),
        "personal file": target("personal"),
        "shared file": target("shared"),
        events: `${code(install.stop.event)}, ${code(install.turnStart.event)}`,
        "time limit": code(`${limit![0]}: ${String(limit![1])}`),
      };
    })
  );
  expect(rows.map((row) => row["agent host"])).toEqual([
    ...installable.map(titleOf),
    "opencode",
    "Mux",
  ]);
});

test("describes each agent host in the guide, and names those that cannot be held", () => {
  const rows = tableWith("holds the agent", GUIDE);
  expect(rows.slice(0, AGENT_HOSTS.length)).toEqual(
    AGENT_HOSTS.map(({ name, install, about }) => ({
      agent: install!.title,
      "`--hook`": code(name),
      "holds the agent": about!.holds,
      "the user sees of an unverified end": about!.sees,
      "its own cap": about!.cap,
      trust: about!.trust,
      tried: about!.tried,
    }))
  );
  const others = rows.slice(AGENT_HOSTS.length).map((row) => row.agent);
  expect(others.slice(0, 2)).toEqual(["opencode", "Mux"]);
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

test("lists what each agent host gets in each situation (G27b)", () => {
  const failed = { result: createResult("failed"), reason: "Fix it." };
  const ended = { result: createResult("retry_limit_exceeded"), personMessage: "Not verified." };
  const passed = { result: createResult("passed") };
  expect(tableWith("a stop that fails", GUIDE)).toEqual(
    [...AGENT_HOSTS, unknownHost].map((host) => {
      const second = host.about?.holds.startsWith("once in a turn") === true;
      const { status } = host.readInput({ status: "aborted" }).isAborted
        ? createResult("stop_hook_disabled")
        : createResult("failed");
      return {
        agent: titleOf(host),
        "a stop that fails": formOf(host.answer(failed)),
        "the second stop of a turn": second ? "not sent" : "checked",
        "the retry limit": formOf(host.answer(ended)),
        "a pass": formOf(host.answer(passed)),
        "an interrupted turn": status === "failed" ? "checked" : "nothing runs",
        "a sub-agent":
          host.install?.stop.event.startsWith("Subagent") === true ? "checked" : "not sent",
        "a new message": host.install === undefined ? "" : code(host.install.turnStart.event),
      };
    })
  );
});
