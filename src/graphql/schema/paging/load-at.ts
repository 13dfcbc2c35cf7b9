/**
 * One statement for all rows of a list instead of one per row: the resolvers at one place of a document (same path,
 * list positions aside), where the same is written, put their keys into one batch, which the first one's `load` loads.
 * Members of a union exclude each other: at one path each may ask for a field with arguments of its own.
 */
import { createContextCache } from '@pothos/core'
import DataLoader from 'dataloader'
import { print, type FieldNode, type GraphQLResolveInfo } from 'graphql'

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
  const { path, fieldNodes } = place.info
  const name = `${pathOf(path)} ${fieldNodes.map(textOf).join(' ')}`
  let loader = loaders.get(name) as DataLoader<Key, Value | undefined> | undefined
  if (loader === undefined) {
    loader = new DataLoader(async (keys) => pick(keys, await load([...new Set(keys)])), { cache: false })
    loaders.set(name, loader)
  }
  return loader.load(key)
}

function pick<Key, Value>(keys: readonly Key[], found: ReadonlyMap<Key, Value>): (Value | undefined)[] {
  return keys.map((key) => found.get(key))
}

const texts = new WeakMap<FieldNode, string>()

/** As it is written: arguments and selection. Documents are kept, and their fields are resolved again and again. */
function textOf(node: FieldNode): string {
  const known = texts.get(node)
  if (known !== undefined) return known
  const text = print(node)
  texts.set(node, text)
  return text
}

function pathOf(path: GraphQLResolveInfo['path'] | undefined): string {
  if (path === undefined) return ''
  return typeof path.key === 'number' ? pathOf(path.prev) : `${pathOf(path.prev)}.${path.key}`
}
