/**
 * The GraphiQL page. The token is typed into its headers, and stays in the memory of the page: what it keeps, it keeps
 * for this tab alone, and without headers. The schema is read when a header makes it readable.
 */
import type { GraphQLSchema } from 'graphql'
import { GraphiQL } from 'graphiql'
import { createElement, useEffect, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { fetcher } from './fetcher.ts'
import { readSchema } from './read-schema.ts'
import { tabStorage } from './tab-storage.ts'

const DEFAULT_QUERY = `# Put your token into the header below (tab "Headers"), then try:
query { viewer { tokenName role } server { version database models { role provider model } } }
`
const DEFAULT_HEADERS = '{ "Authorization": "Bearer <token>" }'
/** Between a key that is pressed and the request for the schema. */
const TYPING_MS = 400

const APPEARANCE = { defaultEditorToolsVisibility: 'headers', showPersistHeadersSettings: false } as const
const KEEPING = { storage: tabStorage, shouldPersistHeaders: false }

function Page(): ReactNode {
  const [headers, setHeaders] = useState(DEFAULT_HEADERS)
  const [schema, setSchema] = useState<GraphQLSchema | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    const read = async (): Promise<void> => {
      const found = await readSchema(headers, abort.signal)
      if (found !== null) setSchema(found)
    }
    const timer = setTimeout(() => void read(), TYPING_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [headers])
  const asked = { defaultQuery: DEFAULT_QUERY, defaultHeaders: DEFAULT_HEADERS, onEditHeaders: setHeaders }
  return createElement(GraphiQL, {
    fetcher,
    schema,
    dangerouslyAssumeSchemaIsValid: true,
    ...asked,
    ...APPEARANCE,
    ...KEEPING,
  })
}

const place = document.querySelector('#graphiql')
if (place !== null) createRoot(place).render(createElement(Page))
