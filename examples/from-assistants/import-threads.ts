/**
 * Threads and messages of OpenAI's Assistants API, exported as JSON, become sessions of a Factotum server, each whole
 * or not at all; docs/from-assistants.md says what becomes of what. Node 24 and nothing else:
 *
 *   export FACTOTUM_TOKEN=…
 *   node examples/from-assistants/import-threads.ts threads.json --user anna --url https://agent.example.org
 *
 * Repeatable: ids follow from those of the threads and messages, and a thread that is there already is left alone.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

interface Message {
  readonly id: string
  readonly role: string
  /** Seconds since 1970. */
  readonly created_at: number
  readonly content: string | readonly Part[]
  readonly attachments?: readonly { readonly file_id?: string }[] | null
}

interface Part {
  readonly type: string
  readonly text?: { readonly value: string }
  readonly image_file?: { readonly file_id: string }
  readonly image_url?: { readonly url: string }
}

interface Thread {
  readonly id: string
  readonly created_at?: number
  readonly metadata?: Readonly<Record<string, unknown>> | null
  /** In any order, or a page of the API as it came. */
  readonly messages: readonly Message[] | { readonly data: readonly Message[] }
}

interface Target {
  readonly url: string
  readonly token: string
  /** Who takes part in the sessions, and said what users said. */
  readonly user: string
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const PREVIEW_CHARS = 100

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { url: { type: 'string' }, user: { type: 'string' } },
  })
  const [file] = positionals
  const token = process.env['FACTOTUM_TOKEN']
  if (file === undefined || values.user === undefined || token === undefined)
    return fail('FACTOTUM_TOKEN=… node import-threads.ts <file.json> --user <name> [--url http://127.0.0.1:4000]', 2)
  const target = { url: values.url ?? 'http://127.0.0.1:4000', token, user: values.user }
  let failed = 0
  for (const thread of readThreads(file)) {
    const { ok, said } = await importThread(thread, target).catch((error: unknown) => {
      return { ok: false, said: error instanceof Error ? error.message : String(error) }
    })
    console.log(`${thread.id}: ${said}`)
    if (!ok) failed += 1
  }
  if (failed > 0) fail(`${failed} threads were not imported. Mend what is said of them, and run this again.`, 1)
}

function fail(message: string, code: number): void {
  console.error(message)
  process.exitCode = code
}

/** A list of threads, `{ "threads": […] }`, or a thread on each line. */
function readThreads(file: string): readonly Thread[] {
  const text = readFileSync(file, 'utf8')
  try {
    const read = JSON.parse(text) as readonly Thread[] | { readonly threads: readonly Thread[] } | Thread
    if (Array.isArray(read)) return read as readonly Thread[]
    return 'threads' in read ? read.threads : [read as Thread]
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.map((line) => JSON.parse(line) as Thread)
  }
}

async function importThread(thread: Thread, { url, token, user }: Target): Promise<{ ok: boolean; said: string }> {
  const sessionId = `@${user}:${thread.id}`
  const lines = linesOf(thread, { sessionId, user })
  const response = await fetch(new URL('sessions/import', `${url.replace(/\/+$/, '')}/`), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  })
  const answer = (await response.json()) as { code?: string; problem?: string; messages?: number }
  if (response.ok) return { ok: true, said: `${answer.messages} messages, as ${sessionId}` }
  if (response.status === 409) return { ok: true, said: `is there already, as ${sessionId}` }
  return { ok: false, said: `${response.status} ${answer.problem ?? answer.code}` }
}

/** The session as `factotum session export` would write it: messages that start no turn, in order. */
function linesOf(thread: Thread, { sessionId, user }: { readonly sessionId: string; readonly user: string }): object[] {
  const messages = messagesOf(thread)
  const last = messages.at(-1)
  const createdAt = timeOf(thread.created_at ?? messages[0]?.created_at ?? 0)
  const rows = messages.map((message, index) => ({
    type: 'message',
    id: idOf(message.created_at, `${thread.id} ${message.id}`),
    seq: index + 1,
    role: message.role === 'assistant' ? 'ASSISTANT' : 'USER',
    userName: message.role === 'assistant' ? null : user,
    content: textOf(message),
    trusted: true,
    mentioned: false,
    status: 'STORED',
    client: 'assistants',
    idempotencyKey: message.id,
    createdAt: timeOf(message.created_at),
    paraphrase: null,
  }))
  const events = rows.map(({ id, seq, createdAt: at }) => {
    return { type: 'event', seq, at, turnId: null, event: 'MessageReceived', data: { messageId: id } }
  })
  const session = {
    ...SESSION,
    sourcePlatform: 'assistants',
    metadata: { ...thread.metadata, assistants_thread: thread.id },
    messageCount: rows.length,
    lastMessagePreview: Array.from(rows.at(-1)?.content ?? '')
      .slice(0, PREVIEW_CHARS)
      .join(''),
    lastSeq: rows.length,
    createdAt,
    lastActivityAt: last === undefined ? createdAt : timeOf(last.created_at),
  }
  const header = { type: 'header', format: 'factotum session', version: 1, sessionId, exportedAt: createdAt }
  const body = [session, { type: 'participant', userName: user, joinedAt: createdAt }, ...rows, ...events]
  return [header, ...body, { type: 'end', lines: body.length + 1 }]
}

/** What no thread says. */
const SESSION = {
  type: 'session',
  sourceKind: 'api',
  sourceInteractive: true,
  sourceTriggerId: null,
  sourceType: 'DIRECT',
  connector: null,
  description: null,
  descriptionSource: null,
  summary: '',
  summarySeq: 0,
  workingMemory: '',
  checkpointSeq: 0,
  checkpointTurns: 0,
  status: 'IDLE',
  timeZone: null,
  busyPolicy: 'QUEUE',
  mode: 'CHAT',
  turnCount: 0,
  modelCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cost: null,
}

/** Oldest first, whatever the order of the export; those without a text are left out. */
function messagesOf({ messages }: Thread): readonly Message[] {
  const listed = 'data' in messages ? messages.data : messages
  const [first, last] = [listed[0], listed.at(-1)]
  // The API lists the newest first; messages of one second keep their order.
  const isNewestFirst = first !== undefined && last !== undefined && first.created_at > last.created_at
  const inOrder = isNewestFirst ? listed.toReversed() : listed
  return inOrder.toSorted((a, b) => a.created_at - b.created_at).filter((message) => textOf(message) !== '')
}

function textOf({ content, attachments }: Message): string {
  const parts = typeof content === 'string' ? [content] : content.map(partText)
  const files = (attachments ?? []).flatMap(({ file_id: id }) => (id === undefined ? [] : [`[file ${id}]`]))
  const text = [...parts, ...files].filter((part) => part !== '').join('\n')
  // What PostgreSQL does not store.
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Files stay with OpenAI: their ids tell which they were. */
function partText({ type, text, image_file: file, image_url: image }: Part): string {
  return text?.value ?? (file ? `[image ${file.file_id}]` : image ? `[image ${image.url}]` : `[${type}]`)
}

function timeOf(seconds: number): string {
  if (!Number.isFinite(seconds)) throw new Error(`"created_at" must be seconds since 1970; it is ${String(seconds)}`)
  return new Date(seconds * 1000).toISOString()
}

/** Of a message, the same for the same `seed`, in order of time: a UUIDv7 in the server's base32. */
function idOf(seconds: number, seed: string): string {
  const bytes = createHash('sha256').update(seed).digest().subarray(0, 16)
  bytes.writeUIntBE(seconds * 1000, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let digits = ''
  for (let n = 0; n < 26; n += 1) {
    digits = `${DIGITS[Number(rest % 32n)]}${digits}`
    rest /= 32n
  }
  return `msg_${digits}`
}

await main()
