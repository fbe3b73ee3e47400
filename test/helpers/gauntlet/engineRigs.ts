/** Stops of a project with trust in the agent hosts that run the engine: opencode and Mux (G24a). */
import { randomUUID } from "node:crypto";
import { StopHookController } from "@/node/services/hooks/stop/stopHookController";
import { hookLoadOptions } from "@/wiring";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { FakeOpencode } from "@test/unit/opencode/fakeOpencode";

export interface Turn {
  readonly blocks: boolean;
  readonly reason: string;
  readonly forPerson: string;
}

/** Runs one turn of an agent until its first stop. */
export type RunTurn = (
  project: GauntletProject,
  home: string,
  act: () => Promise<void>
) => Promise<Turn>;

export const inMux: RunTurn = async (project, home, act) => {
  const { runtime, dir } = project;
  const findProject = () => Promise.resolve(dir);
  const load = hookLoadOptions(runtime, { env: {}, home }, { findProject });
  const notices: string[] = [];
  const controller = new StopHookController({
    ...{ runtime, projectDir: dir, event: "Stop", builtins: load.builtins, load },
    onEvent: (event) => {
      if (event.type === "notice") notices.push(event.text);
    },
  });
  await controller.beginTurn();
  await act();
  const verdict = await controller.turnEnded({
    finish: "stop",
    hasQueuedInput: () => false,
    input: {
      session_id: randomUUID(),
      transcript_path: project.path(".git/chat.jsonl"),
      cwd: dir,
      permission_mode: "default",
    },
  });
  const blocks = verdict.action === "continue";
  const reason = blocks ? verdict.message : "";
  return { blocks, reason, forPerson: notices.join("\n") };
};

export const inOpencode: RunTurn = async (project, home, act) => {
  const fake = await FakeOpencode.start({ project: project.dir, home, trusted: false });
  // The agent has fixed the failure at its second stop.
  const fix = () => project.remove("src/bad");
  fake.answers.push({ does: act }, { does: fix }, { does: fix });
  await fake.say(fake.newSession(), "Do it.");
  const reasons = fake.prompts.map(({ parts }) => parts[0]?.text ?? "");
  await fake.dispose();
  return {
    blocks: reasons.length > 0,
    reason: reasons[0] ?? "",
    forPerson: fake.toasts.map(({ message }) => message).join("\n"),
  };
};
