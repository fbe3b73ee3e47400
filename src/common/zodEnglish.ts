/** The option with which zod's `safeParse` describes errors in English; zod/mini has no error messages of its own. */
import { en } from "zod/locales";
import type * as z from "zod/mini";

type ErrorMap = z.core.$ZodErrorMap;

let localeError: ErrorMap | undefined;

/**
 * An option of `safeParse`. Without it, zod/mini describes every issue as `Invalid input`. The locale is loaded at the
 * first issue, because a bundler may evaluate this module before that of the locale.
 */
export const ENGLISH: { readonly error: ErrorMap } = {
  error: (issue) => {
    localeError ??= en().localeError;
    return localeError(issue);
  },
};
