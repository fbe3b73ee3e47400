/** Ecosystems with one row each: a file, and the usual commands. */
import { objectAt, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { CheckKind, Detected, Suggestion } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";

interface Row {
  readonly kind: CheckKind;
  readonly tool: string;
  /** Matches a file in the root of the project. */
  readonly file: RegExp;
  readonly command: string;
}

/** In order: the first row of a tool and kind whose file exists counts. */
const ROWS: readonly Row[] = [
  { kind: "test", tool: "gradle", file: /^gradlew$/, command: "./gradlew test" },
  { kind: "test", tool: "gradle", file: /^build\.gradle(?:\.kts)?$/, command: "gradle test" },
  { kind: "test", tool: "maven", file: /^mvnw$/, command: "./mvnw -q test" },
  { kind: "test", tool: "maven", file: /^pom\.xml$/, command: "mvn -q test" },
  { kind: "test", tool: "dotnet", file: /\.(?:sln|slnx|csproj|fsproj)$/, command: "dotnet test" },
  {
    kind: "format",
    tool: "dotnet",
    file: /\.(?:sln|slnx|csproj|fsproj)$/,
    command: "dotnet format --verify-no-changes",
  },
  { kind: "test", tool: "rspec", file: /^\.rspec$/, command: "bundle exec rspec" },
  { kind: "test", tool: "rake", file: /^Rakefile$/, command: "bundle exec rake test" },
  { kind: "lint", tool: "rubocop", file: /^\.rubocop\.yml$/, command: "bundle exec rubocop" },
  { kind: "test", tool: "phpunit", file: /^phpunit\.xml/, command: "vendor/bin/phpunit" },
  { kind: "types", tool: "phpstan", file: /^phpstan\.neon/, command: "vendor/bin/phpstan analyse" },
];

export async function suggestOthers(project: ProjectFolder): Promise<Detected> {
  const found: Suggestion[] = [];
  for (const { kind, tool, file, command } of ROWS) {
    const name = project.match(file);
    if (name === undefined || found.some((one) => one.kind === kind && one.tool === tool)) continue;
    const reason = reasons.file(name);
    found.push({ kind, tool, command, reason, entryPoint: ".", origin: "default" });
  }
  const scripts = objectAt(await composerJson(project), "scripts");
  if (!Object.hasOwn(scripts, "test")) return { suggestions: found };
  const reason = reasons.task("test", "composer.json");
  const composer: Suggestion = {
    ...{ kind: "test", tool: "composer", command: "composer test", reason },
    ...{ entryPoint: ".", origin: "script" },
  };
  return { suggestions: [...found.filter(({ tool }) => tool !== "phpunit"), composer] };
}

async function composerJson(project: ProjectFolder): Promise<Readonly<Record<string, unknown>>> {
  return project.find("composer.json") === undefined ? {} : await project.json("composer.json");
}
