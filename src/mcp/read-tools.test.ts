import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { MAX_PAGES } from './limits.ts'
import { readTools } from './read-tools.ts'
import { checkSchema } from './tool-schema.ts'

function readPages(count: number): ReturnType<typeof readTools> {
  let page = 0
  const client = {
    getServerCapabilities: () => ({ tools: {} }),
    request: () => {
      page += 1
      const tools = [{ name: `tool${page}`, inputSchema: { type: 'object' } }]
      return Promise.resolve(page < count ? { tools, nextCursor: String(page) } : { tools })
    },
  } as unknown as Client
  return readTools(client, { source: 'toys', timeoutMs: 1000, signal: new AbortController().signal })
}

test('tools on pages that are not read are not left out without a word', async () => {
  expect(await readPages(MAX_PAGES)).toMatchObject({ tools: { length: MAX_PAGES }, refused: [] })
  expect(await readPages(MAX_PAGES + 1)).toMatchObject({
    tools: { length: MAX_PAGES },
    refused: [{ name: '(further pages)', reason: 'no more than 20 pages or 128 tools are read' }],
  })
})

test('what is left out of a schema is a word of the format, never a value or a name', () => {
  const data = { format: 'a', pattern: 'b', $id: 'c' }
  const kept = {
    type: 'object',
    properties: { pattern: { const: data }, format: { enum: [data], default: data, examples: [data] } },
    dependentRequired: { pattern: ['format'] },
  }
  const properties = { ...kept.properties, url: { type: 'string', format: 'uri', pattern: '(a+)+' } }
  expect(checkSchema({ ...kept, properties, $async: true })).toEqual({
    kind: 'ok',
    schema: { ...kept, properties: { ...kept.properties, url: { type: 'string' } } },
  })
})
