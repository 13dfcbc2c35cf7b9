/**
 * Parses and validates documents, and keeps the valid ones within a bound (document-cache.ts). The last plugin: it sees
 * the rules that the others have added, and what was valid by other rules is validated again.
 */
import { NoSchemaIntrospectionCustomRule, validate, type Source } from 'graphql'
import type { LiveConfig } from '../../config/config.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import { DocumentCache } from '../operation/document-cache.ts'
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
