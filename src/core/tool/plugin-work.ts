/** What plugins have made of a turn so far. It stands in the turn's row while the turn is open. */

/**
 * A section of the prompts that a plugin added. SERVER: the operator's own words, given by a plugin that may; DATA,
 * also where nothing is said: nothing in it is an instruction.
 */
export interface PluginSection {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly plugin: string
  readonly trust?: 'SERVER' | 'DATA'
}

/**
 * A line "/name arguments" of the turn. BEGUN: a plugin may have it, and what became of it is not known. HANDLED: a
 * plugin took it. LEFT: none did, so it is ordinary text.
 */
export interface CommandRecord {
  readonly name: string
  readonly args: string
  readonly from: 'USER' | 'MODEL'
  readonly outcome: 'BEGUN' | 'HANDLED' | 'LEFT'
  readonly plugin: string | null
}

export interface PluginWork {
  /** Null: no plugin was asked yet. */
  readonly sections: readonly PluginSection[] | null
  readonly commands: readonly CommandRecord[]
}

export const NO_PLUGIN_WORK: PluginWork = { sections: null, commands: [] }
