/**
 * One statement for all rows of a list instead of one per row: the resolvers at one place of a document (same path,
 * list positions aside) put their keys into one batch. Arguments are equal there, so the first resolver's `load` serves
 * all.
 */
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import type { GraphQLResolveInfo } from 'graphql'

export type LoadBatch<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>

type AnyLoader = DataLoader<unknown, unknown>
const loadersOf = createContextCache(() => new Map<string, AnyLoader>())

/**
 * Loads the value of `key` together with those of its neighbours; undefined when the batch does not hold it. `context`
 * is the operation's own. Nothing is kept: what was loaded once is loaded again when a later event asks.
 */
export function loadAt<Key, Value>(
  place: { readonly context: object; readonly info: GraphQLResolveInfo },
  key: Key,
  load: LoadBatch<Key, Value>,
): Promise<Value | undefined> {
  const loaders = loadersOf(place.context)
  const path = pathOf(place.info.path)
  let loader = loaders.get(path) as DataLoader<Key, Value | undefined> | undefined
  if (loader === undefined) {
    loader = new DataLoader(async (keys) => pick(keys, await load([...new Set(keys)])), { cache: false })
    loaders.set(path, loader)
  }
  return loader.load(key)
}

function pick<Key, Value>(keys: readonly Key[], found: ReadonlyMap<Key, Value>): (Value | undefined)[] {
  return keys.map((key) => found.get(key))
}

function pathOf(path: GraphQLResolveInfo['path'] | undefined): string {
  if (path === undefined) return ''
  return typeof path.key === 'number' ? pathOf(path.prev) : `${pathOf(path.prev)}.${path.key}`
}
