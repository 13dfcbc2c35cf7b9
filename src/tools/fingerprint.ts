/** What an approval covers of a tool and of one call of it, as a hash: the same whatever the order of keys. */
import { createHash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../core/tool/json.ts'
import type { ToolOffer } from './tool.ts'

/** Of a tool whose author may change it (`ToolOffer.fingerprint`). */
export function offerFingerprint({
  name,
  description,
  parameters,
  effect,
}: Pick<ToolOffer, 'name' | 'description' | 'parameters' | 'effect'>): string {
  return hashOf([name, description, parameters, effect])
}

/** Of a call: the tool by its name and as it is offered, and the arguments. */
export function callFingerprint({ name, fingerprint = null }: CalledTool, args: JsonObject | null): string {
  return hashOf([name, fingerprint, args])
}

interface CalledTool {
  readonly name: string
  readonly fingerprint?: string | null | undefined
}

function hashOf(value: JsonValue): string {
  return createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex')
}

function inOrder(_key: string, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
