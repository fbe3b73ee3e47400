/** The rows of Claude Code's transcript before they have the fields that every row has (H37). */
import type { JsonObject } from "@/common/json";

/** The part of a row that its kind determines. */
export type RowBody = JsonObject & { readonly type: string };

export interface DatedBody {
  readonly body: RowBody;
  /** Milliseconds since 1970, if the part has a time of its own. */
  readonly time?: unknown;
  /** Whether the row begins a new chain of rows. */
  readonly isRoot?: boolean;
}
