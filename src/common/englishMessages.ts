/** English messages for schemas that have no messages of their own. */
import * as z from "zod/mini";

/** An option of `safeParse`. Without it, zod/mini describes every issue as `Invalid input`. */
export const ENGLISH = { error: z.locales.en().localeError };
