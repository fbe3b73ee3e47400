/** The mode of files in a project, which are for the whole team. The user's umask decides what others may do. */
export const SHARED_MODE = 0o666;
