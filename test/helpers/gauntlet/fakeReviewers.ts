/** Controls the programs of `fixtures/reviewers`, which replace the real ones. */
import { readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAMS = fileURLToPath(new URL("../../../fixtures/reviewers", import.meta.url));

const STEER = join(PROGRAMS, "steer.mjs");

interface Steering {
  readonly steer: (folder: string, program: string, turns: readonly Turn[]) => void;
}

/** The behavior of a reviewer at one call; see the README of the fixtures. */
export interface Turn {
  readonly answer?: object;
  readonly text?: string;
  readonly stdout?: string;
  readonly base64?: string;
  readonly bytes?: number;
  readonly flood?: string;
  readonly stderr?: string;
  readonly exit?: number;
  readonly signal?: NodeJS.Signals;
  readonly hang?: boolean;
  readonly started?: string;
}

export interface ReviewerCallSeen {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: string;
}

export class FakeReviewers {
  /** @param folder the folder for the instructions and the recorded calls, which is created if it is missing */
  constructor(private readonly folder: string) {}

  /** Returns an environment in which these programs come first on PATH. */
  env(base: Readonly<NodeJS.ProcessEnv> = process.env): NodeJS.ProcessEnv {
    const PATH = [PROGRAMS, base.PATH ?? ""].join(delimiter);
    return { ...base, PATH, XDG_FAKE_REVIEWERS: this.folder };
  }

  /** @param program its name on PATH: `copilot`, `agent`; `all` for those without their own turns */
  async tell(program: string, ...turns: readonly Turn[]): Promise<void> {
    const { steer } = (await import(STEER)) as Steering;
    steer(this.folder, program, turns);
  }

  /** Returns the calls of one program in order. */
  async calls(program: string): Promise<readonly ReviewerCallSeen[]> {
    const dir = join(this.folder, "calls");
    const names = await readdir(dir).catch(() => []);
    const own = names.filter((name) => name.replace(/\.\d+$/, "") === program);
    own.sort((a, b) => Number(a.split(".").at(-1)) - Number(b.split(".").at(-1)));
    return await Promise.all(own.map((name) => readCall(program, join(dir, name))));
  }
}

async function readCall(name: string, dir: string): Promise<ReviewerCallSeen> {
  const [args, env, cwd, prompt] = await Promise.all(
    ["args", "env", "cwd", "prompt"].map((file) =>
      readFile(join(dir, file), "utf8").catch(() => "")
    )
  );
  const pairs = words(env).map((pair) => pair.split(/=(.*)/s).slice(0, 2));
  return {
    ...{ name, args: words(args), cwd: cwd!.trimEnd(), prompt: prompt! },
    env: Object.fromEntries(pairs) as Record<string, string>,
  };
}

function words(text = ""): string[] {
  return text.split("\0").slice(0, -1);
}
