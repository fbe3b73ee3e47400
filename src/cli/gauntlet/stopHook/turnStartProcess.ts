/**
 * Runs `agent-gauntlet turn-start` as a process that never fails: records the start of a user's turn (G27a). Prints for
 * the user that an earlier stop was not verified, and for the agent how to check its work, if the host passes these on.
 */
import { resolve } from "node:path";
import { AGENT_HOSTS, projectHint, recognizeHost } from "@/cli/gauntlet/hosts/index";
import { realProject } from "@/cli/gauntlet/stopHook/realProjectPath";
import { findOwnCommand } from "@/cli/findOwnCommand";
import { descriptorOutput, readStdin } from "@/cli/gauntlet/stopHook/readStdin";
import { userHome } from "@/common/userHome";
import { shownCommand, setOwnCommand } from "@/common/ownCommandName";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { isLeftOpen } from "@/node/services/gauntlet/hook/StopClaim";
import { startingProcess } from "@/node/services/gauntlet/state/lock/processIdentity";
import { fromGauntlet, OWN_RUN } from "@/node/services/gauntlet/messages/shared";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import { filesWithHook, recordTurnStart } from "@/node/services/gauntlet/turn/recordTurnStart";

export async function runProcess(): Promise<void> {
  const end = (): void => process.exit(0);
  process.on("uncaughtException", end);
  try {
    if (!process.env[RECURSION_MARKER]) await record();
  } finally {
    // Standard input may stay open.
    end();
  }
}

/** Records the start of a user's turn. Not called in a reviewer of a run, whose turns are not the user's. */
async function record(): Promise<void> {
  const { env } = process;
  const fields = (await readStdin()) ?? {};
  const host = recognizeHost(fields, env);
  const { cwd, sessionId, turnId, prompt } = host.readInput(fields);
  const isAbsolute = cwd?.startsWith("/") === true;
  const runtime = new LocalFiles();
  const advice = { isDue: false };
  const hint = projectHint(host, env);
  const unverified = await recordTurnStart({
    runtime,
    cwd: await realProject(runtime, resolve(isAbsolute ? "/" : process.cwd(), cwd ?? "")),
    sessionId,
    turnId,
    prompt,
    projectHint: hint && (await realProject(runtime, hint)),
    wasEnded: async (...session) => await isLeftOpen(runtime, ...session),
    hookFiles: async (projectDir) => {
      const place = { home: userHome(), projectDir, env };
      const known = AGENT_HOSTS.filter(({ name }) => name === host.name);
      const read = known.flatMap((one) => [one, ...(one.install.alsoRuns ?? [])]);
      const paths = read.flatMap(({ install }) => install.files(place).map(({ path }) => path));
      return await filesWithHook(runtime, paths);
    },
    agent: () => startingProcess(runtime),
    mayTell: () => void (advice.isDue = true),
    now: () => new Date(),
  });
  const program = process.argv[1] ?? "";
  setOwnCommand(() => findOwnCommand({ env, cwd: process.cwd(), program }));
  const shown = host.showsAtTurnStart && unverified !== undefined;
  const additionalContext = `To check your work, you can run "${shownCommand()} run". ${OWN_RUN}`;
  const hookSpecificOutput = { hookEventName: fields.hook_event_name, additionalContext };
  const answer = {
    ...(shown ? { systemMessage: fromGauntlet(unverified) } : {}),
    ...(advice.isDue && host.takesContext ? { hookSpecificOutput } : {}),
  };
  if (Object.keys(answer).length > 0) descriptorOutput(1).write(`${JSON.stringify(answer)}\n`);
}
