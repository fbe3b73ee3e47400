/** Returns a configuration of opencode with one model, which is a script on loopback. */
export function opencodeConfig(npm: string, baseURL: string): unknown {
  const provider = {
    npm,
    name: "Scripted",
    options: { baseURL, apiKey: "none" },
    models: { m: { name: "m", limit: { context: 200_000, output: 8_000 } } },
  };
  return {
    provider: { scripted: provider },
    enabled_providers: ["scripted"],
    model: "scripted/m",
    small_model: "scripted/m",
    autoupdate: false,
    share: "disabled",
  };
}
