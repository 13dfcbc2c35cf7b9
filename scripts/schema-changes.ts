/** What changed between two schemas, and what of it breaks clients. */
import { buildSchema, findSchemaChanges, SafeChangeType } from 'graphql'

export interface SchemaChanges {
  /** Documents, variables or code of clients that worked may not any more. */
  readonly breaking: readonly string[]
  readonly others: readonly string[]
}

const SAFE: ReadonlySet<string> = new Set(Object.values(SafeChangeType))
/** Clients that name all members today meet one that they do not know: docs/api.md tells them to expect it. */
const EXPECTED: ReadonlySet<string> = new Set([
  'VALUE_ADDED_TO_ENUM',
  'TYPE_ADDED_TO_UNION',
  'OPTIONAL_INPUT_FIELD_ADDED',
  'OPTIONAL_ARG_ADDED',
  'IMPLEMENTED_INTERFACE_ADDED',
])

export function compareSchemas(last: string, now: string): SchemaChanges {
  const changes = findSchemaChanges(buildSchema(last), buildSchema(now))
  const isBreaking = ({ type }: { readonly type: string }): boolean => !SAFE.has(type) && !EXPECTED.has(type)
  const describe = (which: typeof changes): readonly string[] => which.map(({ description }) => description).toSorted()
  return {
    breaking: describe(changes.filter(isBreaking)),
    others: describe(changes.filter((change) => !isBreaking(change))),
  }
}

/** Whether the changelog has something under "Breaking" of what is not released yet. */
export function declaresBreaking(changelog: string): boolean {
  const unreleased = changelog.split(/^## /m).find((section) => section.startsWith('Unreleased')) ?? ''
  return /^### Breaking\s+- \S/m.test(unreleased)
}
