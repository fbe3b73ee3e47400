export interface Declaration {
  readonly name: string;
  readonly isType: boolean;
  readonly text: string;
  /** The types that it needs, and that no entry exports. */
  readonly hidden: readonly string[];
}

export interface EntryApi {
  readonly entry: string;
  readonly declarations: readonly Declaration[];
}

export const reportPath: string;
export function readApi(): readonly EntryApi[];
export function formatApi(api: readonly EntryApi[]): string;
