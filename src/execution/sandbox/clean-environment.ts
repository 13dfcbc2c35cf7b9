/**
 * The whole environment of a command. Nothing of the server's own environment may reach it: that holds the database URL
 * and the keys of the model providers. It must also never contain a path of this project (`node_modules/.bin`).
 */
const SANDBOX_PATH = '/usr/local/bin:/usr/bin:/bin'
const ADMIN_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * For programs with the server's rights: what an admin's command has fetched (a clone, an archive) is searched,
 * not run. Git starts no program that a repository's own configuration names for watching its files, and takes no
 * folder within a working tree for a repository; Python loads nothing from a user's site folder.
 */
const CAUTIOUS = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.fsmonitor',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'safe.bareRepository',
  GIT_CONFIG_VALUE_1: 'explicit',
  PYTHONNOUSERSITE: '1',
}

/** For a sandbox without network: who asks for packages learns so at once, not after a minute of retries. */
export const NO_RETRIES: Readonly<Record<string, string>> = { npm_config_fetch_retries: '0', PIP_RETRIES: '0' }

/**
 * `home` as the program sees it: the workspace for a command in the sandbox, otherwise a folder outside of every
 * workspace.
 */
export function cleanEnvironment(home: string, confined: boolean): Record<string, string> {
  if (confined) return { PATH: SANDBOX_PATH, HOME: home, LANG: 'C.UTF-8' }
  return { PATH: ADMIN_PATH, HOME: home, LANG: 'C.UTF-8', ...CAUTIOUS }
}
