/** The import rules. Each rule forbids imports; every import that no rule forbids is allowed. */
const src = (path) => `^src/${path}`;

/** Returns a rule for a part of the tree that may import only itself, src/common and the `allowed` paths. */
const only = (name, from, allowed) => ({
  name,
  severity: "error",
  from: { path: from },
  to: { path: "^src/", pathNot: ["^src/common/", from, ...allowed] },
});

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "common-knows-nothing-of-ours",
      severity: "error",
      from: { path: "^src/common/" },
      to: { path: "^src/", pathNot: "^src/common/" },
    },
    {
      name: "only-process-starts-processes",
      severity: "error",
      from: { path: "^src/", pathNot: src("node/runtime/process/") },
      to: { path: "^(node:)?child_process$|node_modules/execa/" },
    },
    only("runtime-is-low", src("node/runtime/"), []),
    // process <- local, process <- remote <- ssh.
    ...Object.entries({
      process: [],
      local: ["process"],
      remote: ["process"],
      ssh: ["process", "remote", "local"],
    }).map(([room, below]) =>
      only(`runtime-${room}`, src(`node/runtime/${room}/`), [
        src("node/runtime/[^/]+\\.ts$"),
        ...below.map((name) => src(`node/runtime/${name}/`)),
      ])
    ),
    // The full zod doubles the time that a program needs to load its schemas.
    {
      name: "only-zod-mini",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "node_modules/zod/", pathNot: "node_modules/zod/(mini|locales)/" },
    },
    // Hooks never import the gauntlet. The wiring registers it as a built-in.
    only("hooks-know-the-runtime-port", src("node/services/hooks/"), [
      src("node/runtime/(HookRuntime|fileContents|lostConnection|envMatcher)\\.ts$"),
      src("node/runtime/process/(shellQuote|output/OutputCapture)\\.ts$"),
    ]),
    only("hooks-messages", src("node/services/hooks/messages/"), []),
    // contract <- shell <- settings <- trust <- stop, and contract <- transcript <- execution <- stop.
    ...Object.entries({
      contract: [],
      shell: ["contract"],
      settings: ["contract", "shell"],
      trust: ["contract", "settings"],
      transcript: ["contract"],
      execution: ["contract", "transcript"],
    }).map(([room, below]) =>
      only(`hooks-${room}`, src(`node/services/hooks/${room}/`), [
        src("node/services/hooks/messages/"),
        ...below.map((name) => src(`node/services/hooks/${name}/`)),
        src("node/runtime/(HookRuntime|fileContents|lostConnection|envMatcher)\\.ts$"),
      ])
    ),
    only("gauntlet-messages-are-lowest", src("node/services/gauntlet/messages/"), []),
    only("gauntlet-domain-is-pure", src("node/services/gauntlet/domain/"), [
      src("node/services/gauntlet/messages/"),
    ]),
    {
      name: "gauntlet-domain-knows-no-node",
      severity: "error",
      from: { path: src("node/services/gauntlet/domain/") },
      to: { dependencyTypes: ["core"] },
    },
    only("gauntlet-config-is-low", src("node/services/gauntlet/config/"), [
      src("node/services/gauntlet/(domain|messages)/"),
      src("node/runtime/(HookRuntime|fileContents)\\.ts$"),
    ]),
    ...["gates", "change", "state"].map((part) =>
      only(`gauntlet-${part}-is-low`, src(`node/services/gauntlet/${part}/`), [
        src("node/services/gauntlet/(domain|messages)/"),
        src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
      ])
    ),
    // `turn-start` loads only this folder, so it must stay light.
    only("gauntlet-turn-is-low", src("node/services/gauntlet/turn/"), [
      src("node/services/gauntlet/(domain/|messages/|config/configPaths\\.ts$)"),
      src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
    ]),
    only("gauntlet-report-knows-the-domain", src("node/services/gauntlet/report/"), [
      src("node/services/gauntlet/(domain|messages)/"),
    ]),
    only("gauntlet-reviews-know-no-run", src("node/services/gauntlet/reviews/"), [
      src("node/services/gauntlet/(domain|messages|config|change|state)/"),
      src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
    ]),
    only("gauntlet-shell-is-low", src("node/services/gauntlet/shell/"), [
      src("node/services/gauntlet/(domain|messages)/"),
      src("node/runtime/(HookRuntime|fileContents)\\.ts$"),
    ]),
    only("gauntlet-known-is-low", src("node/services/gauntlet/known/"), [
      src("node/services/gauntlet/(domain|messages|shell|change|gates/findings|turn)/"),
      src("node/services/gauntlet/config/configPaths\\.ts$"),
      src("node/runtime/(HookRuntime|fileContents)\\.ts$"),
    ]),
    only("gauntlet-run-knows-no-hooks", src("node/services/gauntlet/run/"), [
      src(
        "node/services/gauntlet/(domain|messages|shell|config|change|gates|known|reviews|state|report|turn)/"
      ),
      src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
    ]),
    only("session-knows-the-hooks-index", src("node/services/(agentSession|session/|tools/)"), [
      src("node/runtime/(HookRuntime|fileContents)\\.ts$"),
      src("(wiring|node/services/hooks/index)\\.ts$"),
    ]),
    only("host-knows-the-wiring", src("host/"), [
      src("wiring\\.ts$"),
      src("node/services/hooks/index\\.ts$"),
      src("node/runtime/((HookRuntime|fileContents)\\.ts$|process/|remote/)"),
    ]),
    only("opencode-knows-the-wiring", src("opencode/"), [
      src("wiring\\.ts$"),
      src("node/services/hooks/index\\.ts$"),
      src("node/runtime/(HookRuntime|local/findCheckout)\\.ts$"),
    ]),
    // The root of each folder connects its subfolders. None of them imports its caller.
    only("run-shards-are-pure-data", src("node/services/gauntlet/run/shards/"), [
      src("node/services/gauntlet/(domain|messages|config|change|state)/"),
      src("node/services/gauntlet/run/(?!execute|record|logs|fixes|reports)"),
      src("node/runtime/(HookRuntime|fileContents)\\.ts$"),
    ]),
    // plan <- execute <- record.
    {
      name: "run-plan-comes-first",
      severity: "error",
      from: { path: src("node/services/gauntlet/run/plan/") },
      to: { path: src("node/services/gauntlet/run/(execute|record|known|reports)/") },
    },
    {
      name: "run-execute-records-nothing",
      severity: "error",
      from: { path: src("node/services/gauntlet/run/execute/") },
      to: { path: src("node/services/gauntlet/run/(record|reports)/") },
    },
    only("gauntlet-config-source", src("node/services/gauntlet/config/source/"), [
      src("node/services/gauntlet/(domain|messages)/"),
    ]),
    only("reviews-answers", src("node/services/gauntlet/reviews/answers/"), [
      src("node/services/gauntlet/(domain|messages)/"),
    ]),
    only("host-loading", src("host/loading/"), [src("host/hostLog\\.ts$")]),
    ...Object.entries({
      workspace: ["loading"],
      session: ["workspace"],
      run: ["loading"],
      turn: ["workspace", "session"],
      stop: ["loading", "workspace", "session", "turn"],
      subagent: ["loading", "workspace", "session", "turn", "stop"],
    }).map(([room, below]) =>
      only(`host-${room}`, src(`host/${room}/`), [
        src("host/(muxTypes|hostLog|hostEngineExports)\\.ts$"),
        ...below.map((name) => src(`host/${name}/`)),
        src("(wiring\\.ts$|node/)"),
      ])
    ),
    // runGit <- snapshot, runGit <- diff.
    only("change-git", src("node/services/gauntlet/change/git/"), [
      src("node/services/gauntlet/(domain|messages)/"),
      src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
    ]),
    only("change-snapshot", src("node/services/gauntlet/change/snapshot/"), [
      src("node/services/gauntlet/(domain|messages|change/(git|diff))/"),
      src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
    ]),
    only("change-diff", src("node/services/gauntlet/change/diff/"), [
      src("node/services/gauntlet/(domain|messages|change/git)/"),
      src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
    ]),
    only("state-lock", src("node/services/gauntlet/state/lock/"), [
      src("node/services/gauntlet/(domain|messages)/"),
      src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
    ]),
    only("gauntlet-hook-joins-the-rooms", src("node/services/gauntlet/hook/"), [
      src("node/services/gauntlet/"),
      src("node/services/hooks/contract/"),
      src("node/runtime/(HookRuntime|fileContents|lostConnection)\\.ts$"),
    ]),
    only("cli-render", src("cli/render/"), [
      src("cli/context\\.ts$"),
      src("cli/messages/"),
      src("(session\\.ts$|node/)"),
    ]),
    only("cli-messages-are-lowest", src("cli/messages/"), []),
    only("cli-gauntlet-messages-are-lowest", src("cli/gauntlet/messages/"), [
      src("node/services/gauntlet/messages/"),
    ]),
    {
      name: "cli-is-on-top",
      severity: "error",
      from: { path: "^src/(?!cli/)" },
      to: { path: "^src/cli/" },
    },
    {
      name: "source-knows-no-test",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|scripts|fixtures)/" },
    },
    {
      name: "no-undeclared-dependency",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown", "unknown"] },
    },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      mainFields: ["module", "main", "types"],
    },
  },
};
