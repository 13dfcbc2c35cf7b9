/**
 * The manifest of a skill, `kiso.toml` or `skill.toml` → SkillManifest. Pure. Keys that are not known are left alone: a
 * manifest may hold what other programs read. Every problem is found in one go and says which key to change and to
 * what.
 */
import { parse, TomlError } from 'smol-toml'
import * as z from 'zod'
import { says, text } from '../../config/field.ts'
import type { SkillArgument, SkillArgumentType, SkillArgumentValue } from '../../core/plan/skill.ts'
import { isStorable } from '../../platform/well-formed.ts'

/** What a valid manifest says, with defaults filled in. */
export interface SkillManifest {
  readonly name: string
  /** For people only. */
  readonly version: string | null
  readonly description: string | null
  /** One line for the planner. */
  readonly summary: string
  readonly args: readonly SkillArgument[]
  /** Keys of the ephemeral secrets that the skill is given. */
  readonly secrets: readonly string[]
  /** Deploy secrets that the skill is given. */
  readonly env: readonly SkillVariable[]
  /** Which Python it needs, such as ">=3.11". */
  readonly python: string | null
  /** Programs that must be installed. */
  readonly bin: readonly string[]
  /** The program to run, relative to the folder; null: run.py or run.js. */
  readonly run: string | null
}

/** A deploy secret that the manifest declares. */
export interface SkillVariable {
  /** As the manifest names it; `deploy-environment.ts` makes the name of the variable from it. */
  readonly key: string
  readonly required: boolean
  readonly description: string
}

/** A manifest that can be used whole, or all that is wrong with it. */
export type ParsedManifest =
  | { readonly kind: 'valid'; readonly manifest: SkillManifest }
  /** `problems`: one sentence each, with its key. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

const SKILL_NAME = /^[a-z][a-z0-9_-]{0,63}$/
const MAX_SUMMARY_CHARS = 500
const MAX_TEXT_CHARS = 2_000
const TYPES: Readonly<Record<string, SkillArgumentType>> = {
  string: 'string',
  int: 'int',
  float: 'float',
  bool: 'bool',
}

const flag = z.boolean(says('must be true or false')).default(false)
const proseRule = `must be text of at most ${MAX_TEXT_CHARS} characters`
const prose = text(proseRule, (value) => value.length <= MAX_TEXT_CHARS && isStorable(value))
const key = text(
  'must be letters, digits, "_" and "-", beginning with a letter or "_"',
  (value) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(value) && value !== '__proto__',
)
const program = text('must be the name of a program, such as "jq"', (value) =>
  /^[A-Za-z0-9_][A-Za-z0-9._+-]*$/.test(value),
)
const path = text(
  'must be the path of a program inside the skill\'s folder, such as "bin/tool", of letters, digits, ".", "_", "-" and "/"',
  (value) => /^[A-Za-z0-9_][A-Za-z0-9._/-]*$/.test(value) && !value.split('/').includes('..'),
)

const argument = z.looseObject(
  {
    type: z.enum(Object.keys(TYPES), says('must be "string", "int", "float" or "bool"')),
    required: flag,
    default: z
      .union([z.string(), z.number(), z.boolean()], says('must be text, a number, or true or false'))
      .optional(),
    description: prose.default(''),
  },
  says('must be a table with a type'),
)

const fileSchema = z.looseObject({
  kiso: z.looseObject(
    {
      type: z.literal('skill', says('must be "skill"')),
      name: text('must be 1 to 64 lower-case letters, digits, "_" or "-", beginning with a letter', (value) =>
        SKILL_NAME.test(value),
      ),
      version: prose.optional(),
      description: prose.optional(),
      skill: z.looseObject(
        {
          summary: text(
            `must be a sentence of at most ${MAX_SUMMARY_CHARS} characters that tells the planner what the skill does`,
            (value) => value.trim() !== '' && value.length <= MAX_SUMMARY_CHARS && isStorable(value),
          ),
          args: z.record(key, argument, says('must be tables [kiso.skill.args.<name>]')).default({}),
          env: z
            .record(
              key,
              z.looseObject(
                { required: flag, description: prose.default('') },
                says('must be a table such as { required = true }'),
              ),
              says('must be tables'),
            )
            .default({}),
          session_secrets: z.array(key, says('must be a list of keys')).default([]),
          run: path.optional(),
          exec: path.optional(),
        },
        says('must be a section [kiso.skill]'),
      ),
      deps: z
        .looseObject(
          { python: prose.optional(), bin: z.array(program, says('must be a list of program names')).default([]) },
          says('must be a section [kiso.deps]'),
        )
        .prefault({}),
    },
    says('must be a section [kiso]'),
  ),
})

/** Never throws for what is in the text. Defaults of a wrong type are reported only when everything else is right. */
export function parseManifest(toml: string): ParsedManifest {
  const read = readToml(toml)
  if (typeof read === 'string') return { kind: 'invalid', problems: [read] }
  const parsed = fileSchema.safeParse(read)
  if (!parsed.success) {
    return { kind: 'invalid', problems: parsed.error.issues.map(describeIssue) }
  }
  const { kiso } = parsed.data
  const args = Object.entries(kiso.skill.args).map(([name, entry]) => toArgument(name, entry))
  const problems = args.flatMap(defaultProblems)
  if (problems.length > 0) return { kind: 'invalid', problems }
  return { kind: 'valid', manifest: toManifest(kiso, args) }
}

function toManifest(kiso: z.output<typeof fileSchema>['kiso'], args: readonly SkillArgument[]): SkillManifest {
  const { skill, deps } = kiso
  return {
    name: kiso.name,
    version: kiso.version ?? null,
    description: kiso.description ?? null,
    summary: skill.summary.trim().replaceAll(/\s+/g, ' '),
    args,
    secrets: skill.session_secrets,
    env: Object.entries(skill.env).map(([name, { required, description }]) => ({ key: name, required, description })),
    python: deps.python ?? null,
    bin: deps.bin,
    run: skill.run ?? skill.exec ?? null,
  }
}

/** The table, or what is wrong with the text. */
function readToml(toml: string): object | string {
  try {
    return parse(toml, { unsafeKeyBehaviour: 'throw' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Only the first line of the message: the rest quotes the file.
    const reason = (error.message.split('\n')[0] ?? '').replace('Invalid TOML document: ', '')
    return `is not valid TOML (line ${error.line}): ${reason}`
  }
}

/** `kiso.skill.summary is missing; it must be …` */
function describeIssue(issue: z.core.$ZodIssue): string {
  const message = issue.code === 'invalid_key' ? `as a name ${issue.issues[0]?.message ?? ''}` : issue.message
  return `${issue.path.join('.')} ${message}`
}

function toArgument(name: string, entry: z.output<typeof argument>): SkillArgument {
  const { type, required, default: fallback, description } = entry
  return { name, type: type as SkillArgumentType, required, default: fallback ?? null, description }
}

function defaultProblems({ name, type, default: fallback }: SkillArgument): string[] {
  if (fallback === null || isOfType(fallback, type)) return []
  return [
    `kiso.skill.args.${name}.default must be of type ${type}, as the argument is; it is ${JSON.stringify(fallback)}`,
  ]
}

function isOfType(value: SkillArgumentValue, type: SkillArgumentType): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' && isStorable(value)
    case 'bool':
      return typeof value === 'boolean'
    case 'int':
      return Number.isSafeInteger(value)
    case 'float':
      return Number.isFinite(value)
    default:
      return false
  }
}
