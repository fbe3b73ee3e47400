/** A reviewer of the gauntlet with the real program, in a repository. Home and project are temporary. */
import { mkdir, readdir, readlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { invokeReviewer, type Reply } from "@/node/services/gauntlet/reviews/invokeReviewer";
import { reviewerFor } from "@/node/services/gauntlet/reviews/reviewers";
import { folderOf } from "@scripts/agentHosts.mjs";
import { GitProject, gitEnv } from "@test/helpers/gitProject";
import { createTestRuntime } from "@test/helpers/remote/testRuntime";
import { putFile, tempDir } from "@test/helpers/tempDir";
import type { ToolCall } from "@test/host/model/ScriptedModel";
import { HostModel, type Replies } from "@test/hosts/model/HostModel";
import type { HostReply, WireFormat } from "@test/hosts/model/wireFormat";
import { ClosedNetwork } from "@test/hosts/rig/ClosedNetwork";
import type { HostDriver } from "@test/hosts/rig/hostDriver";

export interface ReviewerDriver extends Pick<HostDriver, "name" | "env" | "files"> {
  readonly format: WireFormat;
  readonly model?: string;
  /** How long it repeats requests at a rate limit, in seconds. The default is not at all. */
  readonly triesAgainForS?: number;
  /** Calls of the program's own tools that write a file or run a command that does. */
  readonly writes: (path: string) => readonly ToolCall[];
}

export interface PlacedReviewer {
  readonly home: string;
  readonly model: HostModel;
  readonly network: ClosedNetwork;
  /** The variables by which a run finds the program, and the program its model. */
  readonly env: Readonly<Record<string, string>>;
}

/** Configures the program in a new home, so that it uses a scripted model. */
export async function placeReviewer(driver: ReviewerDriver, project: string, replies: Replies) {
  const model = await HostModel.start(driver.format, replies);
  const network = await ClosedNetwork.start();
  const place = { home: await tempDir(), project, modelUrl: model.url };
  for (const [path, content] of Object.entries(driver.files(place))) await putFile(path, content);
  const bins = join(folderOf(driver.name), "node_modules", ".bin");
  const path = [bins, process.env.PATH].join(delimiter);
  const env = { HOME: place.home, PATH: path, ...network.env, ...driver.env(place) };
  return { home: place.home, model, network, env };
}

export class ReviewerRig {
  private constructor(
    private readonly driver: ReviewerDriver,
    private readonly placed: PlacedReviewer,
    readonly project: GitProject
  ) {}

  static async create(driver: ReviewerDriver, replies: (project: string) => readonly HostReply[]) {
    const project = await GitProject.create();
    const placed = await placeReviewer(driver, project.dir, replies(project.dir));
    return new ReviewerRig(driver, placed, project);
  }

  get model(): HostModel {
    return this.placed.model;
  }

  get network(): ClosedNetwork {
    return this.placed.network;
  }

  /** Runs the reviewer with this prompt. */
  async ask(prompt: string, timeoutMs = 110_000): Promise<Reply> {
    const { name, model } = this.driver;
    const runtime = createTestRuntime({ env: gitEnv(this.placed.env) });
    const scratch = join(this.placed.home, "scratch");
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
