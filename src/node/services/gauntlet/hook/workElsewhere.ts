/**
 * Finds work of a session that the run at its stop did not check: commits, stash entries and worktrees, for a caveat of
 * the result. Also warns if the gates passed only with changes that no commit has (G20e), and returns the point in the
 * history of HEAD until which the stop settles the changes, so that later stops begin there (G20a).
 */
import type { LoggedStop } from "@/node/services/gauntlet/hook/stopDecision";
import { shownCommand } from "@/common/ownCommandName";
import { posix } from "node:path";
import { KIB, MIB } from "@/common/limits";
import { commandWord, firstNames, plural, visible } from "@/common/safeText";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus, isSuccessStatus } from "@/node/services/gauntlet/domain/runStatus";
import {
  anyChangedSince,
  type UnsettledPeriod,
} from "@/node/services/gauntlet/hook/approveUnchanged";
import { topFolder } from "@/node/services/gauntlet/change/git/gitQueries";
import { readState } from "@/node/services/gauntlet/state/executionState";
import { PREVIOUS_FOLDER } from "@/node/services/gauntlet/state/runFiles";
import {
  branchOf,
  commonGitDir,
  readHead,
  turnPath,
} from "@/node/services/gauntlet/turn/readGitFolder";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import * as workPoints from "@/node/services/gauntlet/turn/headMoves";

type ElsewherePlace = LoggedStop & Required<UnsettledPeriod>;

const MAX_LOG_BYTES = 64 * KIB;
const MAX_TRANSCRIPT_BYTES = 8 * MIB;
/** Matches a line of a transcript in which an agent calls a tool. */
const TOOL_CALL = /"(?:tool_use|function_call|tool_calls?|toolCalls?|local_shell_call)"/;
const MAX_COMMITS = 1_000;
const MAX_WORKTREES = 200;
/** Snapshots of a session that a later commit may have. */
const MAX_PASSED = 20;
const MAX_NAMED = 5;
const MAX_FILES = 3;
const MAX_COMPARED = 100;
const SHORT_ID = 10;
/** Folders in which agent hosts keep the workspaces of their sessions. */
const WORKSPACES = /\/\.(?:mux\/src|codex\/worktrees|cursor\/worktrees)\//;
/** Matches a move of HEAD to a commit that existed before. */
const NOT_MADE =
  /^(?:checkout|reset|clone|initial pull|fetch|Branch)\b|^(?!(?:commit|am)\b).*(?:: (?:checkout |returning to |[Ff]ast-forward)|\((?:start|finish|abort)\): )/;
const CHECKOUT = /^checkout: moving from (\S+) to (\S+)$/;
const STASH = /^(?:WIP on|On) ([^:]+): /;

/** Adds work elsewhere to the result of a stop that lets the agent stop. Runs git only if there may be any. */
export async function withElsewhere(
  result: RunResult,
  period: UnsettledPeriod | undefined,
  at: LoggedStop
): Promise<{ readonly result: RunResult; readonly named: readonly string[] }> {
  if (period?.since === undefined || isBlockingStatus(result.status)) return { result, named: [] };
  const place = { ...at, ...period, since: period.since };
  const named = await elsewhere(result, place);
  // A change in the same second as the last stop is found again.
  const texts = named.filter((text) => place.since.named?.includes(text) !== true);
  const caveat = [...(result.caveat === undefined ? [] : [result.caveat]), ...texts].join("; ");
  const warnings = isSuccessStatus(result.status) ? await notCommitted(result, place) : [];
  const added = { caveat: caveat || undefined, warnings: [...result.warnings, ...warnings] };
  return { result: { ...result, ...added }, named };
}

/** Returns the point until which a stop settles the changes, to be recorded once its answer is written. */
export function settledBy(
  { stop, since }: UnsettledPeriod,
  { tree, trees, status }: Pick<RunResult, "tree" | "trees" | "status">,
  named: readonly string[]
): workPoints.SettledPoint {
  const hasPassed = isSuccessStatus(status) && trees !== undefined;
  const passed = [...(since?.passed ?? []), ...(hasPassed ? [trees.snapshot] : [])];
  return {
    ...stop,
    tree,
    snapshot: trees?.snapshot,
    named,
    passed: [...new Set(passed)].slice(-MAX_PASSED),
  };
}

/** Returns one text for each place with such work. */
async function elsewhere(result: RunResult, place: ElsewherePlace): Promise<string[]> {
  const { runtime, gitDir, since, stop } = place;
  const commonDir = await commonGitDir(runtime, gitDir);
  const folders = ["logs/refs/stash", "worktrees"].map((name) => posix.join(commonDir, name));
  const [stashed, linked] = await runtime.stat(folders);
  const isNew = (stat: typeof stashed): boolean =>
    stat !== undefined && "mtimeMs" in stat && workPoints.isSince(since, stat.mtimeMs);
  const moves = (await workPoints.movesBetween(runtime, gitDir, { from: since, to: stop })) ?? [];
  const visited = new Set([...visitedIn(moves), branchOf(await readHead(runtime, gitDir))]);
  const mayHave = isNew(linked) || place.transcriptPath !== undefined;
  const worktrees = mayHave ? await worktreesOf(place, commonDir) : [];
  const made = [
    ...(moves.every(isPlain) ? [] : moves),
    ...worktrees.flatMap((worktree) => worktree.moves),
  ].flatMap((move) => (isMade(move) ? [move.after] : []));
  const places = [...visited, ...worktrees.flatMap(({ branches }) => branches)];
  const stashes = isNew(stashed) ? await stashesOf(place, commonDir, new Set(places)) : [];
  const revisions = made.length === 0 ? [] : [...places.map(revisionOf), ...made];
  const log = await logOf(place, [...revisions, ...stashes.map(({ commit }) => commit)]);
  const known = new Set([
    ...(log.size === 0 ? [] : await knownTrees(result, place)),
    ...worktrees.flatMap(({ passed }) => passed),
  ]);
  const texts = describeCommits(log, made, known, places, worktrees);
  for (const { commit, name } of stashes) {
    const row = log.get(commit);
    // The third parent has the untracked files.
    const isKnown = row !== undefined && row.parents.length < 3 && known.has(row.tree);
    if (row !== undefined && !isKnown)
      texts.push(`the changes in ${name} ${notChecked("were", `after "git stash apply ${name}"`)}`);
  }
  for (const worktree of worktrees) {
    if (await hasUnchecked(place, worktree)) {
      texts.push(
        `the uncommitted changes in ${visible(worktree.path)} ${notChecked("were", "there")}`
      );
    }
  }
  const more = texts.length - MAX_NAMED;
  return more > 0
    ? [...texts.slice(0, MAX_NAMED), `changes in ${plural(more, "other place")} were not checked`]
    : texts;
}

/** Counts the commits of each branch, and those that no branch has. Commits of several branches count for one of them. */
function describeCommits(
  log: ReadonlyMap<string, LoggedCommit>,
  made: readonly string[],
  known: ReadonlySet<string>,
  places: readonly string[],
  worktrees: readonly Worktree[]
): string[] {
  const left = new Set(made);
  return [...log].flatMap(([tip, { tree, branches }]) => {
    const [branch] = branches;
    if (branch === undefined && !places.includes(tip)) return [];
    const commits = reachable(log, tip).filter((commit) => left.delete(commit));
    if (commits.length === 0 || known.has(tree)) return [];
    const path = worktrees.find((one) => one.branches.includes(branch ?? tip))?.path;
    const name = branch === undefined ? tip.slice(0, SHORT_ID) : visible(branch);
    const act = `git switch ${branch === undefined ? "--detach " : ""}${commandWord(name)}`;
    const where = path === undefined ? `after "${act}"` : `in ${visible(path)}`;
    const were = notChecked(commits.length === 1 ? "was" : "were", where);
    return [`${plural(commits.length, "commit")} on ${name} ${were}`];
  });
}

function notChecked(were: string, where: string): string {
  return `${were} not checked; run "${shownCommand()} run" ${where}`;
}

function reachable(log: ReadonlyMap<string, LoggedCommit>, tip: string): string[] {
  const found = new Set([tip]);
  for (const commit of found) {
    for (const parent of log.get(commit)?.parents ?? []) if (log.has(parent)) found.add(parent);
  }
  return [...found];
}

function visitedIn(moves: readonly workPoints.Move[]): string[] {
  return moves.flatMap(({ text }) => CHECKOUT.exec(text)?.slice(1) ?? []);
}

/** Returns whether the commit is on top of the one before, so that HEAD still has both. */
function isPlain(move: workPoints.Move): boolean {
  return isMade(move) && /^(?:commit(?! \(amend)|merge|cherry-pick|revert|am)\b/.test(move.text);
}

function isMade({ text, before }: workPoints.Move): boolean {
  const isCreation = /^0+$/.test(before) && !text.startsWith("commit");
  return text !== "" && !isCreation && !NOT_MADE.test(text);
}

/** Returns the trees that are present, that passed at a stop of the session, or that passed in the last runs. */
async function knownTrees(
  { trees }: RunResult,
  { runtime, logDir, since }: ElsewherePlace
): Promise<string[]> {
  const folders = [logDir, posix.join(logDir, PREVIOUS_FOLDER)];
  const states = await Promise.all(folders.map((folder) => readState(runtime, folder)));
  const passed = states.flatMap(({ state }) => state?.passed?.snapshot ?? []);
  return [...(since.passed ?? []), ...passed, ...(trees === undefined ? [] : [trees.snapshot])];
}

/** Returns a warning if the gates passed with changes that the session's last commit does not have. */
async function notCommitted({ trees }: RunResult, place: ElsewherePlace): Promise<string[]> {
  const { runtime, dir, gitDir, since, stop } = place;
  if (trees?.head === undefined || trees.head === trees.snapshot) return [];
  const moves = (await workPoints.movesBetween(runtime, gitDir, { from: since, to: stop })) ?? [];
  const isOurs = moves.some((move) => move.after === stop.head && isMade(move));
  if (!isOurs || since.passed?.includes(trees.head) === true) return [];
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", trees.head, trees.snapshot];
  const top = (await topFolder(runtime, dir)) ?? "";
  const listed = await runGit(runtime, { cwd: dir, args, keepBytes: MIB, mayBeCut: true });
  const files: string[] = [];
  for (const file of listed.unwrapOr("").split("\0").slice(0, -1).slice(0, MAX_COMPARED)) {
    if (await anyChangedSince(runtime, [posix.join(top, file)], since)) files.push(visible(file));
  }
  const named = firstNames(files, MAX_FILES);
  return files.length === 0
    ? []
    : [
        `the gates passed with changes that no commit has (${named}), and the last commit was not checked without them; commit them, or run the gates again after "git stash"`,
      ];
}

/** @param name a branch, or the commit of a detached HEAD, as the reflog has it */
function revisionOf(name: string): string {
  return /^[0-9a-f]{40,64}$/.test(name) ? name : `refs/heads/${name}`;
}

/** Returns the entries that were made from one of these branches. All worktrees share one stash. */
async function stashesOf(
  { runtime, since }: ElsewherePlace,
  commonDir: string,
  branches: ReadonlySet<string>
): Promise<{ readonly commit: string; readonly name: string }[]> {
  const entries = workPoints.movesIn(
    await readEnd(runtime, posix.join(commonDir, "logs/refs/stash"))
  );
  const isDetached = [...branches].some((name) => !revisionOf(name).startsWith("refs/"));
  return entries.flatMap(({ after, atS, text }, i) => {
    const branch = STASH.exec(text)?.[1] ?? "";
    const isOurs =
      branch === "(no branch)" ? isDetached || branches.has("HEAD") : branches.has(branch);
    if (!isOurs || atS < secondOf(since)) return [];
    return [{ commit: after, name: `stash@{${entries.length - 1 - i}}` }];
  });
}

interface Worktree {
  /** Absolute. */
  readonly path: string;
  readonly isCreated: boolean;
  readonly moves: readonly workPoints.Move[];
  readonly branches: readonly string[];
  /** If a stop of this session was checked there. */
  readonly settled: workPoints.SettledPoint | undefined;
  readonly passed: readonly string[];
}

/**
 * Returns the worktrees that were created in the session or in which one of its tool calls ran, without those of other
 * sessions and of agent hosts.
 */
async function worktreesOf(
  { runtime, gitDir, dir: projectDir, session, since, transcriptPath }: ElsewherePlace,
  commonDir: string
): Promise<Worktree[]> {
  const key = session.count.session;
  const folder = posix.join(commonDir, "worktrees");
  const names = (await runtime.list(folder)).unwrapOr([]).slice(0, MAX_WORKTREES);
  const main = commonDir.endsWith("/.git") ? [commonDir] : [];
  const dirs = [...main, ...names.map((name) => posix.join(folder, name))].filter(
    (dir) => dir !== gitDir
  );
  // git writes this file only when it creates the worktree.
  const stats = await runtime.stat(dirs.map((dir) => posix.join(dir, "commondir")));
  const calls = dirs.length === 0 ? "" : await toolCalls(runtime, transcriptPath);
  const created = stats.map(
    (stat) => stat.kind === "file" && workPoints.isSince(since, stat.mtimeMs)
  );
  if (calls === "" && !created.includes(true)) return [];
  const roots = await Promise.all(
    [...dirs, gitDir].map(async (dir) => {
      const link = dir === commonDir ? dir : await readEnd(runtime, posix.join(dir, "gitdir"));
      return posix.dirname(posix.resolve(dir, link.trimEnd()));
    })
  );
  const found = await Promise.all(
    dirs.map(async (dir, i): Promise<Worktree[]> => {
      const isCreated = created[i] === true;
      const path = roots[i] ?? "";
      if (!isCreated && !namesFolder(calls, path, projectDir, roots)) return [];
      const records = ["turns", "sessions"].map((name) => runtime.list(turnPath(dir, name)));
      const keys = (await Promise.all(records)).flatMap((names) => names.unwrapOr([]));
      const isTaken = keys.length > 0 && !keys.includes(`${key}.json`);
      if (isTaken || WORKSPACES.test(`${path}/`)) return [];
      const all = workPoints.movesIn(await readEnd(runtime, posix.join(dir, "logs/HEAD")));
      const moves = isCreated ? all : all.filter(({ atS }) => atS >= secondOf(since));
      const head = await readHead(runtime, dir);
      const current = branchOf(head) === "HEAD" ? (head ?? "HEAD") : branchOf(head);
      const settled = (await new TurnStore(runtime, dir).read("sessions", key))?.settled;
      const branches = [...new Set([...visitedIn(moves), current])].filter(
        (name) => name !== "HEAD"
      );
      return [{ path, isCreated, moves, branches, settled, passed: settled?.passed ?? [] }];
    })
  );
  return found.flat();
}

const secondOf = ({ at }: workPoints.SettledPoint): number => Math.floor(Date.parse(at) / 1_000);

async function readEnd(
  runtime: HookRuntime,
  path: string,
  maxBytes = MAX_LOG_BYTES
): Promise<string> {
  return (await readText(runtime, path, { maxBytes, tail: true })) ?? "";
}

/** Returns the lines of a transcript that have a tool call, or an empty text. */
async function toolCalls(runtime: HookRuntime, path: string | undefined): Promise<string> {
  if (path === undefined) return "";
  return (await readEnd(runtime, path, MAX_TRANSCRIPT_BYTES))
    .split("\n")
    .filter((line) => TOOL_CALL.test(line))
    .join("\n");
}

/**
 * Returns whether a text has the path of a folder, which is not a part of a longer name.
 *
 * @param roots all worktrees; the paths of those in the folder do not count
 */
function namesFolder(text: string, folder: string, from: string, roots: string[]): boolean {
  const inside = roots.filter((root) => root.startsWith(`${folder}/`));
  return [folder, posix.relative(from, folder)].some((path) => {
    // `../..` may belong to an import, unless it is a word of a command or an argument of the call.
    const before = /^[./]+$/.test(path) ? /(?:\s|[^\\]")$/ : /[^\w.-]$/;
    const others = inside
      .map((root) => (path === folder ? root : posix.relative(from, root)))
      .filter((other) => other !== "");
    for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
      const isWhole = before.test(text.slice(Math.max(at - 2, 0), at));
      const isPart = /[\w.-]/.test(text.charAt(at + path.length));
      if (isWhole && !isPart && !others.some((other) => text.startsWith(other, at))) return true;
    }
    return false;
  });
}

/** Returns whether a worktree has uncommitted changes that no stop of this session settled there. */
async function hasUnchecked(
  { runtime, since }: ElsewherePlace,
  { path, isCreated, settled }: Worktree
): Promise<boolean> {
  const args = ["status", "--porcelain", "-z", "--no-renames", "-unormal"];
  const listed = await runGit(runtime, { cwd: path, args, keepBytes: MIB, mayBeCut: true });
  const files = listed.unwrapOr("").split("\0").slice(0, -1);
  const from = settled ?? (isCreated ? undefined : since);
  if (from === undefined || files.length === 0) return files.length > 0;
  const paths = files.map((file) => posix.join(path, file.slice(3)));
  return await anyChangedSince(runtime, paths, from);
}

/** A commit of `git log`, by its ID. */
interface LoggedCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** The branches that end here. */
  readonly branches: readonly string[];
}

/** Returns the commits that HEAD does not have, the newest first. Revisions that do not exist are ignored. */
async function logOf(
  { runtime, dir, stop }: ElsewherePlace,
  revisions: readonly string[]
): Promise<ReadonlyMap<string, LoggedCommit>> {
  if (revisions.length === 0) return new Map();
  const listed = await runGit(runtime, {
    cwd: dir,
    args: [
      ...["log", "--format=%H %T %P%x09%D", "--decorate=full", "--decorate-refs=refs/heads/"],
      ...["--topo-order", "--ignore-missing", `--max-count=${MAX_COMMITS}`],
      ...["--end-of-options", ...new Set(revisions), `^${stop.head}`, "--"],
    ],
    keepBytes: MIB,
    mayBeCut: true,
  });
  const rows = listed
    .unwrapOr("")
    .split("\n")
    .flatMap((line) => {
      const [ids = "", names = ""] = line.split("\t", 2);
      const [commit = "", tree, ...parents] = ids.split(" ");
      const branches = names
        .split(", ")
        .flatMap((name) => /^refs\/heads\/(.+)$/.exec(name)?.[1] ?? []);
      return tree === undefined ? [] : [[commit, { tree, parents, branches }] as const];
    });
  return new Map(rows);
}
