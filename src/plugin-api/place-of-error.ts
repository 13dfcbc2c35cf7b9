/** Where in a plugin's own files an error arose: its author has no other way to find that out. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** "plugin.ts:12:7", beside the module at this URL; null: its files had no part in it. */
export function placeOfError(error: unknown, entry: string): string | null {
  if (!(error instanceof Error) || !entry.startsWith('file:')) return null
  // Frames have URLs, and what is said of a syntax error a path.
  const folders = [dirname(new URL(entry).pathname), dirname(fileURLToPath(entry))].map((folder) => `${folder}/`)
  for (const line of error.stack?.split('\n') ?? []) {
    const folder = folders.find((folder) => line.includes(folder))
    const rest = folder === undefined ? '' : line.slice(line.indexOf(folder) + folder.length)
    const place = /^[^:?]+(?:\?[^:]*)?:\d+(?::\d+)?/.exec(rest)?.[0]
    if (place !== undefined && !place.startsWith('node_modules/')) return place
  }
  return null
}
