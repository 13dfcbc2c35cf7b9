/** The arguments of a skill as a JSON schema, for clients that show a form or check a call. */
import type { SkillArgument, SkillArgumentType } from './skill.ts'

const JSON_TYPES: Readonly<Record<SkillArgumentType, string>> = {
  string: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
}

/** Draft 2020-12. Required are only those that have no default. */
export function argumentsSchema(args: readonly SkillArgument[]): Readonly<Record<string, unknown>> {
  return {
    type: 'object',
    properties: Object.fromEntries(args.map((argument) => [argument.name, propertyOf(argument)])),
    required: args.filter((argument) => argument.required && argument.default === null).map(({ name }) => name),
    additionalProperties: false,
  }
}

function propertyOf({ type, description, default: fallback }: SkillArgument): Readonly<Record<string, unknown>> {
  return {
    type: JSON_TYPES[type],
    ...(description === '' ? {} : { description }),
    ...(fallback === null ? {} : { default: fallback }),
  }
}
