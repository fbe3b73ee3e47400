/** The preload is for the host alone, and not for whatever the host starts. */

/** Takes it out of `NODE_OPTIONS`, in whichever way it stands there. */
export function withoutPreload(env: NodeJS.ProcessEnv, file: string): void {
  const options = env.NODE_OPTIONS;
  if (options === undefined) return;
  const words = options.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  const isOurs = (word: string): boolean => {
    const path = word.replace(/^"|"$/g, "").replace(/^(?:--require|-r)=/, "");
    return path === file || path === "mux-stop-hooks/register";
  };
  const kept = words.filter((word, i) => {
    const next = words[i + 1];
    const namesOurs = /^(?:--require|-r)$/.test(word) && next !== undefined && isOurs(next);
    return !isOurs(word) && !namesOurs;
  });
  if (kept.length === 0) delete env.NODE_OPTIONS;
  else env.NODE_OPTIONS = kept.join(" ");
}
