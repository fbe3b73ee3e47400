/** Where a project keeps its configuration. */
export const CONFIG_FOLDER = ".gauntlet";
export const CONFIG_FILE = `${CONFIG_FOLDER}/config.yml`;
