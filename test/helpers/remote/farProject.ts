/** A project on another machine, with a session and a home on this one. */
import { join } from "node:path";
import { group, HookProject, type Hook } from "@test/helpers/hooks/hookProject";
import { OtherMachine } from "@test/helpers/remote/otherMachine";
import { tempDir } from "@test/helpers/tempDir";

export class FarProject extends HookProject {
  private constructor(
    root: string,
    override readonly runtime: OtherMachine
  ) {
    super(root, "/srv/project", runtime);
  }

  /** Creates a project with these Stop hooks in its settings. */
  static async with(...hooks: Hook[]): Promise<FarProject> {
    const root = await tempDir();
    const project = new FarProject(root, new OtherMachine(join(root, "box")));
    await project.prepare(CHAT);
    const groups = [group(hooks)];
    if (hooks.length > 0)
      await project.configure({ hooks: { Stop: groups, SubagentStop: groups } });
    return project;
  }

  /** Returns where this machine has a file of the project's machine. */
  override path(...names: string[]): string {
    return this.runtime.at(super.path(...names));
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
