/** Pages of what is held in memory, sorted by name: cut out of the whole at each request. */
import type { PageRequest } from './page-request.ts'
import { toPage, type Page } from './page.ts'

/** The lists whose cursors hold a name. */
export type NamedKind = 'users1' | 'tokens1' | 'budgets1' | 'secrets1'

interface Named {
  readonly name: string
}

/** Those that follow the cursor, by name, one more than a page has. */
export function cutByName<Entry extends Named>(entries: Iterable<Entry>, request: PageRequest<NamedKind>): Entry[] {
  const after = request.after?.[0] ?? ''
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))
  return sorted.filter(({ name }) => name > after).slice(0, request.size + 1)
}

/** The page of what was cut. */
export function pageByName<Entry extends Named>(
  kind: NamedKind,
  request: PageRequest<NamedKind>,
  entries: readonly Entry[],
): Page<Entry> {
  const rows = entries.map((node) => ({ node, position: [node.name] as [string] }))
  return toPage(kind, request, rows)
}
