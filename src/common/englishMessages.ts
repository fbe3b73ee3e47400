/** English messages for schemas that have no messages of their own. */
import { en } from "zod/locales";

/** An option of `safeParse`. Without it, zod/mini describes every issue as `Invalid input`. */
export const ENGLISH = { error: en().localeError };
