/** Go modules and workspaces. */
import { GO_FIX } from "@/cli/gauntlet/init/detect/fixes";
import type { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { Detected, Suggestion } from "@/cli/gauntlet/init/detect/types";
import * as reasons from "@/cli/gauntlet/messages/shared";

const MAX_MODULES = 50;
/** gofmt exits with 0 for files that need formatting. */
const GOFMT =
  'files=$(gofmt -l .) || exit; [ -z "$files" ] || { echo "gofmt would change:"; echo "$files"; exit 1; }';

export async function suggestGo(project: ProjectFolder): Promise<Detected> {
  const isWorkspace = project.find("go.work") !== undefined;
  const manifest = isWorkspace ? "go.work" : "go.mod";
  if (project.find(manifest) === undefined) return { suggestions: [] };
  const modules = isWorkspace ? usedModules(await project.text("go.work")) : ["."];
  const lintConfig = project.match(/^\.golangci\.(?:ya?ml|toml|json)$/);
  return {
    suggestions: modules.slice(0, MAX_MODULES).flatMap((entryPoint): Suggestion[] => {
      const base = { reason: reasons.file(manifest), entryPoint, origin: "default" } as const;
      return [
        { ...base, kind: "test", tool: "go", command: "go test ./..." },
        lintConfig === undefined
          ? { ...base, kind: "lint", tool: "vet", command: "go vet ./..." }
          : {
              ...base,
              kind: "lint",
              tool: "golangci-lint",
              command: "golangci-lint run",
              reason: reasons.file(lintConfig),
            },
        {
          ...base,
          kind: "format",
          tool: "gofmt",
          command: GOFMT,
          repair: GO_FIX,
          program: "gofmt",
        },
      ];
    }),
    globalDependencies: isWorkspace ? ["go.work", "go.work.sum"] : [],
  };
}

/** Returns the folders of `use ./a` and of `use ( ./a ./b )`. */
function usedModules(text: string): string[] {
  const folders: string[] = [];
  let isInBlock = false;
  for (const line of text.split("\n").map((one) => one.replace(/\/\/.*/, "").trim())) {
    if (isInBlock && line === ")") isInBlock = false;
    else if (/^use\s*\($/.test(line)) isInBlock = true;
    else {
      const folder = isInBlock ? line : /^use\s+(\S+)$/.exec(line)?.[1];
      if (folder !== undefined && folder !== "") folders.push(normal(folder));
    }
  }
  return folders.filter((folder) => /^[\w./-]+$/.test(folder) && !folder.split("/").includes(".."));
}

function normal(folder: string): string {
  return (
    folder
      .replace(/^"(.*)"$/, "$1")
      .replace(/^\.\//, "")
      .replace(/\/+$/, "") || "."
  );
}
