/** Compares the tables of agent hosts in the reference with the definitions of the hosts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT_HOSTS } from "@/cli/gauntlet/agentHosts/index";
import type { AgentHost, HookScope } from "@/cli/gauntlet/agentHosts/types";
import { unknownHost } from "@/cli/gauntlet/agentHosts/unknown";
import { isInstallable } from "@/cli/gauntlet/init/hooks/installable";
import { repository } from "@test/helpers/built";

const PAGE = readFileSync(join(repository, "docs/reference/gauntlet.md"), "utf8");

/** Returns the rows of the table that has a column with that title, as cells by column. */
function tableWith(column: string): Record<string, string>[] {
  const tables = PAGE.split("\n\n").filter((block) => block.startsWith("|"));
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
        return code(file!.path.replace(/^\//, ""));
      };
      const handler = install.stop.handler("");
      const [limit] = Object.entries(handler).filter(([, value]) => typeof value === "number");
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
