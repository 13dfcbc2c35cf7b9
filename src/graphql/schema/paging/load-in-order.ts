/** The rows of a page whose keys are known, in the order of the keys. */
import type { Row } from './connection-type.ts'

/** Leaves out what is gone since the keys were read. Asks for nothing when there are none. */
export async function loadInOrder<Key extends Row>(
  keys: readonly Key[],
  load: (ids: string[]) => Promise<readonly Row[]>,
): Promise<{ readonly key: Key; readonly node: Row }[]> {
  const rows = keys.length === 0 ? [] : await load(keys.map(({ id }) => id))
  const rowById = new Map(rows.map((row) => [row.id, row]))
  return keys.flatMap((key) => {
    const node = rowById.get(key.id)
    return node === undefined ? [] : [{ key, node }]
  })
}
