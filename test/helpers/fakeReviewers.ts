/** Steers the programs of `fixtures/reviewers`, which stand in for the real ones. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAMS = fileURLToPath(new URL("../../fixtures/reviewers", import.meta.url));

/** What one of them does at a call; see the README beside them. */
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
  /** @param folder where they are steered and what they saw is kept; made where it lacks */
  constructor(private readonly folder: string) {}

  /** An environment in which they are found before all others. */
  env(base: Readonly<NodeJS.ProcessEnv> = process.env): NodeJS.ProcessEnv {
    const PATH = [PROGRAMS, base.PATH ?? ""].join(delimiter);
    return { ...base, PATH, XDG_FAKE_REVIEWERS: this.folder };
  }

  /** @param program as it is on PATH: `copilot`, `agent`; `all` for those that are told nothing else */
  async tell(program: string, ...turns: readonly Turn[]): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await writeFile(join(this.folder, `${program}.json`), JSON.stringify(turns));
  }

  /** In order, of one program. */
  async calls(program: string): Promise<readonly ReviewerCallSeen[]> {
    const dir = join(this.folder, "calls");
    const files = await readdir(dir).catch(() => []);
    const own = files.filter((file) => file.replace(/\.\d+\.json$/, "") === program);
    own.sort((a, b) => Number(a.split(".").at(-2)) - Number(b.split(".").at(-2)));
    const texts = await Promise.all(own.map((file) => readFile(join(dir, file), "utf8")));
    return texts.map((text) => JSON.parse(text) as ReviewerCallSeen);
  }
}
