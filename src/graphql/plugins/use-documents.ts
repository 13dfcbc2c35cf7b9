/**
 * Parses and validates documents, and keeps the valid ones within a bound. The last plugin: it sees
 * the rules that the others have added, and what was valid by other rules is validated again.
 */
import { NoSchemaIntrospectionCustomRule, validate, type Source, visit, type DocumentNode } from 'graphql'
import type { LiveConfig } from '../../config/config.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import { parseDocument, withCode } from '../operation/parse-document.ts'

/** More errors would only help a client that probes the schema. */
const MAX_ERRORS = 5

export function useDocuments(config: Pick<LiveConfig, 'current'>): DoorPlugin {
  const cache = new DocumentCache()
  return {
    onParse({ params: { source }, setParsedDocument, setParseFn }) {
      const text = textOf(source)
      const kept = cache.get(text)
      if (kept === null) setParseFn(() => parseDocument(text))
      else setParsedDocument(kept.document)
    },
    onValidate({ params, addValidationRule, setResult, setValidationFn }) {
      const { documentAST } = params
      const rules: readonly { readonly name: string }[] = params.rules ?? []
      const { introspection } = config.current().settings
      if (!introspection) addValidationRule(NoSchemaIntrospectionCustomRule)
      const names = `${rules.map(({ name }) => name).join()} ${introspection}`
      const text = documentAST.loc?.source.body ?? ''
      const kept = cache.get(text)
      if (kept !== null && kept.document === documentAST && kept.rules === names) return setResult([])
      const options = { maxErrors: MAX_ERRORS, hideSuggestions: !introspection }
      setValidationFn((schema, document, all) =>
        validate(schema, document, all, options).map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')),
      )
      return ({ valid }) => {
        if (valid) cache.keep(text, { document: documentAST, rules: names })
      }
    },
  }
}

function textOf(source: string | Source): string {
  return typeof source === 'string' ? source : source.body
}

interface ValidDocument {
  readonly document: DocumentNode
  /** The names of the rules that found it valid. */
  readonly rules: string
}

/** Some hundred documents of the longest kind, or ten thousand short ones. */
const MAX_BYTES = 32 * 1024 * 1024
/** What Node 24 needs for each, measured over documents of many shapes, and a little more. */
const BYTES = { document: 1500, node: 160, token: 130, character: 2 } as const

/**
 * Documents that were found valid, by their text: clients send the same few again and again. Bounded by the memory that
 * they hold, least recently used first. What was refused is not here: its errors weigh more than finding them again
 * costs, and a client could send any number of them.
 */
class DocumentCache {
  /** In order of use, oldest first. */
  readonly #kept = new Map<string, ValidDocument & { readonly bytes: number }>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get(text: string): ValidDocument | null {
    const known = this.#kept.get(text)
    if (known === undefined) return null
    this.#kept.delete(text)
    this.#kept.set(text, known)
    return known
  }

  keep(text: string, valid: ValidDocument): void {
    const bytes = bytesOf(text, valid.document)
    this.#bytes += bytes - (this.#kept.get(text)?.bytes ?? 0)
    this.#kept.delete(text)
    this.#kept.set(text, { ...valid, bytes })
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break
      this.#kept.delete(oldest)
      this.#bytes -= bytes
    }
  }
}

/** About the memory that a parsed document holds: its nodes, and the tokens that they refer to, comments too. */
function bytesOf(text: string, document: DocumentNode): number {
  let bytes = BYTES.document + text.length * BYTES.character
  visit(document, { enter: () => void (bytes += BYTES.node) })
  for (let token = document.loc?.startToken ?? null; token !== null; token = token.next) bytes += BYTES.token
  return bytes
}
