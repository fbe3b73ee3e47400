/**
 * The base class of readers of JavaScript test runners whose failures are headings with text below them. Collects the
 * message and the position of each failure from that text.
 */
import * as reader from "@/node/services/gauntlet/gates/findings/formats/readerBase";
import { jsFrame, ownFrame } from "@/node/services/gauntlet/gates/findings/formats/stackTraces";

/** The names of a failure. `file` and `line` are used if the text below the heading has no position. */
export type Failed = Pick<reader.RawFinding, "rule" | "test"> & reader.Position;

/** `5 | code`, `> 5 | code` and `| ^`, without the spaces at both ends. */
const CODE = /^(?:>? *\d+ *)?(?:\||│)/;
const COMPARED = /^(?:Expected|Received)[^:]*: /;
const MAX_PARTS = 3;

/** A reader of failures. The text below a heading is a message, perhaps code, and a stack trace. */
export abstract class BaseRunnerReader implements reader.LineReader {
  readonly tally = new reader.TestTally(true);
  /** The suites that contain the current line of a tree of tests. */
  protected suites: readonly string[] = [];
  readonly #ended: reader.RawFinding[] = [];
  /** Several headings may share a text. */
  #open: Failed[] = [];
  #message: string[] = [];
  #position: reader.Position | undefined;
  #hasFrames = false;

  get all(): readonly reader.RawFinding[] {
    return [...this.#ended, ...this.#openFindings()];
  }

  abstract read(line: string): void;

  protected get hasMessage(): boolean {
    return this.#message.length > 0;
  }

  /** Returns the path of a test or suite in the tree. */
  protected pathOf(depth: number, name: string): readonly string[] {
    return [...this.suites.slice(0, depth), name];
  }

  /** Ends the current failure, and begins another one. */
  protected begin(failed: Failed): void {
    this.end();
    this.also(failed);
  }

  /** Adds a heading that shares the text of the current failure. */
  protected also(failed: Failed): void {
    if (this.#ended.length + this.#open.length < reader.MAX_RAW_FINDINGS) this.#open.push(failed);
  }

  /** Reads a line below the heading. */
  protected readText(line: string): void {
    if (jsFrame(line) !== undefined) {
      this.#hasFrames = true;
      this.#position ??= ownFrame(line);
      return;
    }
    const text = line.trim();
    if (text === "" || CODE.test(text)) return;
    const isPart = this.hasMessage ? !this.#hasFrames && COMPARED.test(text) : true;
    if (isPart && this.#message.length < MAX_PARTS) this.#message.push(text);
  }

  protected end(): void {
    this.#ended.push(...this.#openFindings());
    this.#open = [];
    this.#message = [];
    this.#position = undefined;
    this.#hasFrames = false;
  }

  #openFindings(): reader.RawFinding[] {
    const message = this.#message.join(" ") || "failed";
    return this.#open.map((one) => ({
      ...{ ...one, testFile: one.file, ...this.#position },
      ...{ severity: "error", message },
    }));
  }
}

/** Removes the duration at the end of the name of a test, which differs between runs. */
export function withoutDuration(text: string): string {
  return text.replace(/ [([]\d+(?:\.\d+)? ?(?:m?s|[mh])[)\]]$/, "");
}
