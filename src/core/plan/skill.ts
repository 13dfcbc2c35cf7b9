/** A skill: an installed program that a plan may call with arguments. Its manifest is read by src/execution. */

export type SkillArgumentType = 'string' | 'int' | 'float' | 'bool'
export type SkillArgumentValue = string | number | boolean
/** Checked against the skill's schema, defaults filled in. */
export type SkillArguments = Readonly<Record<string, SkillArgumentValue>>

export interface SkillArgument {
  readonly name: string
  readonly type: SkillArgumentType
  readonly required: boolean
  readonly default: SkillArgumentValue | null
  readonly description: string
}

/** What the planner and the rules of a plan need to know of a skill. */
export interface SkillSummary {
  readonly name: string
  readonly version: string | null
  /** One line. */
  readonly summary: string
  readonly args: readonly SkillArgument[]
  /**
   * Keys of the session's secrets that it is given, when the session holds them: the planner names what it finds by
   * them.
   */
  readonly secrets: readonly string[]
}
