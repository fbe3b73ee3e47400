/** The command line, which loads a command when it is called. */
// A packaged app has no script among its arguments. Its process has no member `defaultApp`.
const isPackaged = "electron" in process.versions && !("defaultApp" in process);
const [command, ...args] = process.argv.slice(isPackaged ? 1 : 2);

async function main(): Promise<void> {
  if (command === "run") {
    const { run } = await import("@test/host/bed/common/cli/run");
    process.exitCode = await run(args);
  } else if (command === "acp") {
    const { serveEditor } = await import("@test/host/bed/v0.28/cli/acp");
    await serveEditor();
  } else {
    const { serve } = await import("@test/host/bed/common/cli/server");
    await serve(args);
  }
}

main().catch((thrown: unknown) => {
  console.error(thrown);
  process.exitCode = 1;
});
