/** A reviewer of the gauntlet with the real program, in a repository. Home and project are temporary. */
import { mkdir, readdir, readlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { invokeReviewer, type Reply } from "@/node/services/gauntlet/reviews/invokeReviewer";
import { reviewerFor } from "@/node/services/gauntlet/reviews/reviewers/index";
import { folderOf } from "@scripts/agentHosts.mjs";
import { GitProject, gitEnv } from "@test/helpers/gitProject";
import { createTestRuntime } from "@test/helpers/remote/testRuntime";
import { tempDir } from "@test/helpers/tempDir";
import type { ToolCall } from "@test/host/model/ScriptedModel";
import { HostModel } from "@test/hosts/model/HostModel";
import type { HostReply, WireFormat } from "@test/hosts/model/wireFormat";
import { ClosedNetwork } from "@test/hosts/rig/ClosedNetwork";
import type { HostDriver, HostPlace } from "@test/hosts/rig/hostDriver";

export interface ReviewerDriver extends Pick<HostDriver, "name" | "env" | "files"> {
  readonly format: WireFormat;
  readonly model?: string;
  /** How long it repeats requests at a rate limit, in seconds. The default is not at all. */
  readonly triesAgainForS?: number;
  /** Calls of the program's own tools that write a file or run a command that does. */
  readonly writes: (path: string) => readonly ToolCall[];
}

export class ReviewerRig {
  private constructor(
    private readonly driver: ReviewerDriver,
    private readonly place: HostPlace,
    readonly project: GitProject,
    readonly model: HostModel,
    readonly network: ClosedNetwork
  ) {}

  static async create(
    driver: ReviewerDriver,
    replies: (project: string) => readonly HostReply[]
  ): Promise<ReviewerRig> {
    const project = await GitProject.create();
    const model = await HostModel.start(driver.format, replies(project.dir));
    const place = { home: await tempDir(), project: project.dir, modelUrl: model.url };
    for (const [path, content] of Object.entries(driver.files(place))) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    return new ReviewerRig(driver, place, project, model, await ClosedNetwork.start());
  }

  /** Runs the reviewer with this prompt. */
  async ask(prompt: string, timeoutMs = 60_000): Promise<Reply> {
    const { name, env, model } = this.driver;
    const bins = join(folderOf(name), "node_modules", ".bin");
    const path = [bins, process.env.PATH].join(delimiter);
    const own = { HOME: this.place.home, PATH: path, ...this.network.env, ...env(this.place) };
    const runtime = createTestRuntime({ env: gitEnv(own) });
    const scratch = join(this.place.home, "scratch");
    await mkdir(scratch, { recursive: true });
    return await invokeReviewer(runtime, reviewerFor(name, {})!, {
      prompt,
      timeoutMs,
      cwd: this.project.dir,
      scratch,
      ...(model === undefined ? {} : { model }),
    });
  }

  /** Lists the processes that work in the project. */
  async processes(): Promise<string[]> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const folders = await Promise.all(
      pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => ""))
    );
    return pids.filter((_, i) => folders[i] === this.project.dir);
  }
}
