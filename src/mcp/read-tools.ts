/** The list of tools of a server, as it is offered: what cannot be offered is left out, tool by tool. */
import type { Client } from '@modelcontextprotocol/client'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { AppError } from '../core/errors.ts'
import { toStorable } from '../platform/well-formed.ts'
import type { JsonObject } from '../core/tool/json.ts'
import { toolName } from '../core/tool/tool-name.ts'
import type { ToolOffer } from '../tools/tool.ts'
import { MAX_PAGES, MAX_TOOLS } from './limits.ts'
import { checkSchema } from './tool-schema.ts'

/** A tool that can be offered, with its name there. */
export interface ReadTool extends ToolOffer {
  readonly fingerprint: string
  readonly remoteName: string
}

export interface ToolList {
  readonly tools: readonly ReadTool[]
  /** Of tools that are not offered: their names, as the server calls them, and why. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
}

const pageSchema = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })
const listedSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.object({ readOnlyHint: z.boolean().optional() }).optional(),
})
/** Names in log lines. */
const MAX_SHOWN_CHARS = 64

interface ReadOptions {
  readonly source: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Rejects with TOOLS_UNREACHABLE. */
export async function readTools(client: Client, { source, timeoutMs, signal }: ReadOptions): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], refused: [] }
  const listed: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES && listed.length <= MAX_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client
      .request({ method: 'tools/list', params }, pageSchema, { timeout: timeoutMs, signal })
      .catch((error: unknown) => {
        throw new AppError('TOOLS_UNREACHABLE', 'it did not list its tools', { retry: 'backoff', cause: error })
      })
    listed.push(...answer.tools)
    cursor = answer.nextCursor
    if (cursor === undefined) break
  }
  const { tools, refused } = sortOut(source, listed)
  const unread = { name: '(further pages)', reason: `no more than ${MAX_PAGES} pages or ${MAX_TOOLS} tools are read` }
  return { tools, refused: cursor === undefined ? refused : [...refused, unread] }
}

function sortOut(source: string, listed: readonly unknown[]): ToolList {
  const tools = new Map<string, ReadTool>()
  const refused: { name: string; reason: string }[] = []
  for (const entry of listed) {
    const tool = tools.size < MAX_TOOLS ? toTool(source, entry) : 'the server has too many tools'
    if (typeof tool === 'string') refused.push({ name: nameOf(entry), reason: tool })
    else if (tools.has(tool.name)) refused.push({ name: nameOf(entry), reason: 'another one has its name' })
    else tools.set(tool.name, tool)
  }
  return { tools: [...tools.values()], refused }
}

/** A text: why it is not offered. */
function toTool(source: string, entry: unknown): ReadTool | string {
  const read = listedSchema.safeParse(entry)
  if (!read.success) return 'it is not described as tools are'
  const { name: remoteName, description = '', inputSchema, annotations } = read.data
  const name = toolName(source, remoteName)
  if (name === null) return 'its name is too long, or has characters that models cannot use'
  const checked = checkSchema(inputSchema as JsonObject)
  if (checked.kind === 'refused') return checked.reason
  const effect = annotations?.readOnlyHint === true ? 'READ' : 'WRITE'
  const seen = JSON.stringify([name, description, inputSchema, effect])
  const fingerprint = createHash('sha256').update(seen).digest('hex')
  const offer = { name, source, description: toStorable(description), parameters: checked.schema, effect } as const
  return { ...offer, fingerprint, remoteName }
}

function nameOf(entry: unknown): string {
  const name = z.object({ name: z.string() }).safeParse(entry)
  return name.success ? toStorable(name.data.name.slice(0, MAX_SHOWN_CHARS)) : '(none)'
}
