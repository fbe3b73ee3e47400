/** A project on another machine, with a session and a home on this one. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StopHookInput } from "@/node/services/hooks/contract/types";
import { group, type Hook } from "@test/helpers/hooks/hookProject";
import { OtherMachine } from "@test/helpers/remote/otherMachine";
import { tempDir } from "@test/helpers/tempDir";

/** The path of the project on its machine. */
const DIR = "/srv/project";

export class FarProject {
  readonly dir = DIR;
  readonly runtime: OtherMachine;
  readonly home: string;
  /** The path of the transcript on this machine. */
  readonly transcript: string;

  private constructor(root: string) {
    this.runtime = new OtherMachine(join(root, "box"));
    this.home = join(root, "home");
    this.transcript = join(root, "session", "chat.jsonl");
  }

  /** Creates a project with these Stop hooks in its settings. */
  static async create(...hooks: Hook[]): Promise<FarProject> {
    const project = new FarProject(await tempDir());
    await mkdir(project.home);
    await mkdir(dirname(project.transcript));
    await writeFile(project.transcript, CHAT);
    await mkdir(project.runtime.at(DIR), { recursive: true });
    if (hooks.length > 0) {
      await project.write(
        ".mux/settings.json",
        JSON.stringify({ hooks: { Stop: [group(hooks)], SubagentStop: [group(hooks)] } })
      );
    }
    return project;
  }

  get load() {
    return { home: this.home, env: {} };
  }

  get input(): StopHookInput {
    return {
      session_id: "workspace-1",
      transcript_path: this.transcript,
      cwd: DIR,
      permission_mode: "default",
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message: "All done.",
    };
  }

  /** Writes a file on the project's machine. */
  async write(name: string, text: string, mode = 0o644): Promise<void> {
    const path = this.runtime.at(join(DIR, name));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode });
  }

  async read(name: string): Promise<string> {
    return await readFile(this.runtime.at(join(DIR, name)), "utf8");
  }
}

/** A row of the user and one of the agent. */
const CHAT = ["user", "assistant"]
  .map((role, i) => ({
    id: role,
    role,
    parts: [{ type: "text", text: `${role} text` }],
    metadata: { historySequence: i },
  }))
  .map((row) => `${JSON.stringify(row)}\n`)
  .join("");
