/** A setting that is misspelt would be kept and do nothing: a change names those alone that the plugin declares. */
import type { PluginManifest } from '../plugin-api/manifest.ts'

/** Which settings the plugin has none of, as a sentence; null: it has them all, or takes any. */
export function unknownSettings(
  settings: object,
  { settingsSchema }: Pick<PluginManifest, 'settingsSchema'>,
): string | null {
  const takesOthers = settingsSchema['additionalProperties'] ?? settingsSchema['patternProperties'] ?? false
  if (takesOthers !== false) return null
  const known = Object.keys(Object(settingsSchema['properties']) as object)
  const unknown = Object.keys(settings).filter((key) => !known.includes(key))
  if (unknown.length === 0) return null
  const shown = unknown.slice(0, 5).map((key) => JSON.stringify(key.slice(0, 100)))
  return `it has no setting ${shown.join(', ')}; it has ${known.length === 0 ? 'none' : known.join(', ')}`
}
