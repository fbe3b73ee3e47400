/** The paths of a configuration, relative to the project. */
export const CONFIG_FOLDER = ".gauntlet";
export const CONFIG_FILE = `${CONFIG_FOLDER}/config.yml`;
/** The user's own file, which is not committed (G6a). */
export const LOCAL_CONFIG_FILE = `${CONFIG_FOLDER}/config.local.yml`;

/** The folder of the logs, unless the configuration names another one (G15). */
export const DEFAULT_LOG_DIR = "gauntlet_logs";

/** The check that `init` writes if no check of the project can be used. */
export const EXAMPLE_CHECK = "conflict-markers";
