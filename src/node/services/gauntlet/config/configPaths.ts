/** The paths of a configuration, relative to the project. */
export const CONFIG_FOLDER = ".gauntlet";
export const CONFIG_FILE = `${CONFIG_FOLDER}/config.yml`;
