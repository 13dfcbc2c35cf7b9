/** Which plugin an npm package holds. */
import { isSourceName } from './tool-name.ts'

const PACKAGE = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?([a-z0-9~-][a-z0-9._~-]*)$/
const MAX_CHARS = 214

/** "@acme/factotum-plugin-weather" is "weather". Null: no package of such a name holds a plugin. */
export function pluginOfPackage(name: string): string | null {
  const last = name.length > MAX_CHARS ? undefined : PACKAGE.exec(name)?.[1]
  const plugin = last?.replace(/^factotum-plugin-/, '')
  return plugin !== undefined && isSourceName(plugin) ? plugin : null
}
