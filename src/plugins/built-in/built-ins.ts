/** The plugins that come with Factotum. They have the interface of all others, and no way to the server beside it. */
import { VERSION } from '../../platform/version.ts'
import { contextPlugin } from './context-plugin.ts'

/** Such a plugin. */
export interface BuiltIn {
  readonly name: string
  readonly origin: 'BUILT_IN'
  /** Made by `definePlugin`. */
  readonly definition: unknown
  /** It changes with the version of Factotum alone. */
  readonly stamp: string
}

/** By name. */
export type BuiltIns = ReadonlyMap<string, BuiltIn>

/** Folders and packages of these names are left out. */
export const BUILT_IN_NAMES: ReadonlySet<string> = new Set(['context'])

/** Of one process. `home`: FACTOTUM_HOME. */
export function builtIns(home: string): BuiltIns {
  const definitions = [contextPlugin(home)]
  return new Map(
    definitions.map((definition) => [definition.name, { ...named(definition), definition, stamp: VERSION }]),
  )
}

function named({ name }: { readonly name: string }): Pick<BuiltIn, 'name' | 'origin'> {
  return { name, origin: 'BUILT_IN' }
}
