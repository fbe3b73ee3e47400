/** Runs the hooks of a project with a model that never answers and a hook that never returns. Prints the warnings. */
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { BuiltinHooks, runStopHooks } from "@/node/services/hooks/index";

const [projectDir = "/"] = process.argv.slice(2);
const never = () => new Promise<never>(() => undefined);
const { warnings } = await runStopHooks(
  new LocalRuntime(),
  projectDir,
  {
    session_id: "w",
    transcript_path: `${projectDir}/chat.jsonl`,
    cwd: projectDir,
    permission_mode: "default",
    hook_event_name: "Stop",
    stop_hook_active: false,
  },
  {
    load: { home: projectDir, env: {} },
    model: { ask: never },
    builtins: new BuiltinHooks().register("never", never),
  }
);
console.log(JSON.stringify(warnings));
