/** Trusts all hooks of a project, as the user does in Codex's terminal, over `codex app-server`. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

interface Listed {
  readonly data: readonly {
    readonly hooks: readonly { readonly key: string; readonly currentHash: string }[];
  }[];
}

export async function trustHooks(
  [program = "", ...words]: readonly string[],
  env: NodeJS.ProcessEnv,
  project: string
): Promise<void> {
  const stdio = ["pipe", "pipe", "ignore"] as const;
  const child = spawn(program, [...words, "app-server"], { cwd: project, env, stdio: [...stdio] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method: string, params: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ id: ++id, method, params })}\n`);
    for (;;) {
      const next = await answers.next();
      if (next.done === true) throw new Error(`codex app-server ended at ${method}`);
      const line: string = next.value;
      const message = JSON.parse(line) as { id?: number; result?: unknown; error?: unknown };
      if (message.error !== undefined) throw new Error(`${method}: ${line}`);
      if (message.id === id) return message.result;
    }
  };
  try {
    await ask("initialize", { clientInfo: { name: "test", title: "Test", version: "1" } });
    child.stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
    const { data } = (await ask("hooks/list", { cwds: [project] })) as Listed;
    const hooks = data.flatMap((entry) => entry.hooks);
    const value = Object.fromEntries(
      hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }])
    );
    const edits = [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }];
    await ask("config/batchWrite", { edits });
  } finally {
    child.kill("SIGKILL");
  }
}
