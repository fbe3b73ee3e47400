/** Returns the command that starts a host and its version, or the reason why it is not tested. */
export function findHost(
  name: string
): { readonly command: string[]; readonly version: string } | { readonly reason: string };
/** Returns the folder in which a host is installed. */
export function folderOf(name: string): string;
