/**
 * The whole environment of a command. Nothing of the server's own environment may reach it: that holds the database URL
 * and the keys of the model providers. It must also never contain a path of this project (`node_modules/.bin`).
 */
const SANDBOX_PATH = '/usr/local/bin:/usr/bin:/bin'
const ADMIN_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** `home` as the program sees it: for a command the workspace, for a skill a folder of its own. */
export function cleanEnvironment(home: string, confined: boolean): Record<string, string> {
  return { PATH: confined ? SANDBOX_PATH : ADMIN_PATH, HOME: home, LANG: 'C.UTF-8' }
}
