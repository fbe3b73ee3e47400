/** The mode that any program would use: the files are for the whole team, and the user's umask decides. */
export const SHARED_MODE = 0o666;
