/**
 * Reads what clients send as JSON, from variables and from literals in the document alike: at most 32 levels deep and
 * 64 KiB long. Nothing behind this recurses into a value that has not passed here.
 */
import { Kind, type ConstValueNode } from 'graphql'
import type { JsonValue } from '../../../core/tool/json.ts'
import { unreachable } from '../../../platform/must.ts'
import { badUserInput } from './bad-user-input.ts'

export const MAX_JSON_DEPTH = 32
export const MAX_JSON_BYTES = 65_536

/** Throws BAD_USER_INPUT when `value` breaks one of the rules above. */
export function readJson(value: unknown): JsonValue {
  checkDepth(value, 0)
  return checkLength(value as JsonValue)
}

/** The same for a literal in the document; variables inside it are replaced already. */
export function readJsonLiteral(node: ConstValueNode): JsonValue {
  return checkLength(fromLiteral(node, 0))
}

function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  refuseDeeper(depth + 1)
  for (const item of Object.values(value)) checkDepth(item, depth + 1)
}

function fromLiteral(node: ConstValueNode, depth: number): JsonValue {
  switch (node.kind) {
    case Kind.NULL:
      return null
    case Kind.INT:
    case Kind.FLOAT:
      return finite(Number(node.value))
    case Kind.BOOLEAN:
    case Kind.STRING:
    case Kind.ENUM:
      return node.value
    case Kind.LIST:
      refuseDeeper(depth + 1)
      return node.values.map((item) => fromLiteral(item, depth + 1))
    case Kind.OBJECT:
      refuseDeeper(depth + 1)
      // fromEntries defines properties, so a key "__proto__" stays a key.
      return Object.fromEntries(node.fields.map((field) => [field.name.value, fromLiteral(field.value, depth + 1)]))
    default:
      return unreachable(node)
  }
}

function refuseDeeper(depth: number): void {
  if (depth > MAX_JSON_DEPTH) throw badUserInput(`JSON may be at most ${MAX_JSON_DEPTH} levels deep.`)
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw badUserInput('A number in JSON is too large.')
  return value
}

function checkLength(value: JsonValue): JsonValue {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes > MAX_JSON_BYTES) throw badUserInput(`JSON may be at most ${MAX_JSON_BYTES} bytes long; it is ${bytes}.`)
  return value
}
