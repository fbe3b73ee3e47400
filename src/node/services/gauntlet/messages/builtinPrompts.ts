/** The instructions of the reviews that a configuration may name with `builtin:` (G4). */
export const BUILTIN_PROMPTS: ReadonlyMap<string, string> = new Map([
  [
    "code-quality",
    `Check whether the code does what it is meant to do, and whether the next maintainer can understand it.

- Logic: inverted conditions, off-by-one errors, cases that a branch omits, wrong order, wrong unit, state that two
  callers share, races, promises that are not awaited, resources that are never released.
- Contracts: callers that were not updated for a changed signature, results with a changed meaning, documentation and
  names that are now wrong.
- Boundaries: empty, missing, huge, repeated, concurrent and malformed input, if this code is the first to receive it.
- Cost: work that grows faster than its input, input that is kept in memory without a limit, a query or a process per
  element.
- Design: duplicated knowledge, dead code, a special case where the general rule could be fixed, an abstraction that has
  one user and is not needed.

Do not report style that a formatter or linter could enforce.`,
  ],
  [
    "security",
    `Check whether an attacker who controls some of the input gains anything by this change.

- Follow each external value (request, file, environment, repository content, output of another program) to its use:
  shell, query, path, template, deserializer, regular expression, redirect, log.
- Authorization: missing or weaker checks of permissions, checks on the wrong side, confused deputies, tokens that are
  valid for too long or for too much.
- Secrets: keys and tokens in code, logs, messages, or the environment of programs that do not need them; comparisons
  whose duration reveals a secret.
- Files and processes: paths that leave their folder, symbolic links that are followed, a gap between check and use,
  permissions that are too wide, temporary files with predictable names.
- Cryptography and randomness: custom, outdated or predictable methods.
- Dependencies and build: new code that is downloaded and run, less strict version pins, disabled checks.
- Exhaustion: input that makes the program use memory, time, disk or processes without a limit.

State who the attacker is, where the attack enters, and what the attacker gains. Do not report a problem without such
a path.`,
  ],
  [
    "error-handling",
    `Check whether the code behaves correctly when an operation fails.

- Swallowed failures: empty handlers, results that are not checked, promises that are dropped, ignored exit codes,
  defaults that hide a missing value.
- Failures that spread too far: one bad element aborts the whole operation, an exception crosses a boundary that
  promises none, an optional part makes the rest fail.
- Incomplete work: data that remains on disk, in a database or in memory when a step in the middle fails or the process
  is killed; locks, handles and timers that are not released; retries of operations that must not run twice.
- Waiting: calls to external systems without a time limit, cancellation that is not passed on, retries without a delay
  or a limit.
- Messages: they do not state what was attempted, with which input, why it failed and what to do next; or they reveal
  a secret.
- Wrong category: a user error reported as a program error, or the reverse; a handler that catches every error where
  one kind was expected.`,
  ],
  [
    "test-integrity",
    `Check whether the tests would fail if the code were wrong.

- Tests that were weakened to pass: assertions removed or loosened, expected values changed to the actual output, cases
  skipped, narrowed or deleted, limits raised, snapshots updated without a cause, retries around a defect.
- Tests that cannot fail: no assertion, assertions on the mock instead of the code, a promise that is not awaited,
  a handler that swallows the failure, a condition around the assertion, the code's own result compared with itself.
- Code that detects that it is being tested: branches on test names, on environment variables, or on the exact values of
  a test; hard-coded answers.
- New behavior that no test covers, in particular failure paths and boundaries.
- Tests that depend on time, order, network, machine or each other.
- Other checks that are weakened or disabled: linter rules, type checks, coverage, CI steps, ignore comments.

Report a missing test only if you can name the defect that would not be detected.`,
  ],
]);
