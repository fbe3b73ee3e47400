export interface ToolProject {
  readonly name: string;
  readonly programs: readonly string[];
  readonly packages?: readonly string[];
  readonly linked?: readonly string[];
  /** Packages of PyPI. */
  readonly python?: readonly string[];
  /** A command that fails if the tool is missing although its programs exist. */
  readonly probe?: string;
  readonly files: Readonly<Record<string, string>>;
  readonly setup?: string;
  readonly checks: Readonly<Record<string, string>>;
  readonly change: { readonly path: string; readonly broken: string; readonly fixed: string };
}

export declare const TOOL_PROJECTS: readonly ToolProject[];
