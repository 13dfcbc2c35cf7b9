/** One connection to a server of tools, from its start to its end, over either transport. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { join } from 'node:path'
import type { ApiKeys } from '../config/access/api-keys.ts'
import type { McpReach, McpServerConfig } from '../config/config.ts'
import { AppError, messageOf } from '../core/errors.ts'
import type { AddressGuard } from '../delivery/address-guard.ts'
import type { ConfinedPrograms } from '../execution/sandbox/confined-programs.ts'
import type { Clock } from '../platform/clock.ts'
import { VERSION } from '../platform/version.ts'
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts'
import { GuardedFetch } from './guarded-fetch.ts'
import { ProgramTransport } from './program-transport.ts'

/** What connections are made of. */
export interface ConnectionMeans {
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly programs: Pick<ConfinedPrograms, 'start'>
  readonly keys: ApiKeys
  readonly guard: AddressGuard
  /** Takes secrets out of a text: what a server says of itself may hold those that it was given. */
  readonly redact: (text: string) => string
  /** Left out: none. */
  readonly tracing?: Tracing
  readonly clock: Clock
}

/** A server that answers. `onToolsChanged` is set by the reader of its tools. */
export interface McpConnection {
  readonly client: Client
  /** Aborts when the connection has ended, from either side. */
  readonly ended: AbortSignal
  /** How it ended, as the end of a sentence, and what the program printed last, redacted: for the log and admins. */
  readonly describeEnd: () => { readonly why: string; readonly lastWords: string }
  /** Resolves when nothing of it is left. Repeatable; never rejects. */
  close(): Promise<void>
}

/** How often a server that may be away without a word is asked whether it is there. */
const PING_MS = 30_000
const LEAVE_MS = 1000
/** Of what a program says on its standard error, in a log line. */
const MAX_SAID_CHARS = 1500

interface Link {
  readonly transport: Transport
  /** Tells the server that it may forget us. Never rejects; it may take as long as the server likes. */
  leave(): Promise<void>
  readonly describeEnd: McpConnection['describeEnd']
  close(): Promise<void>
}

/** Rejects with TOOLS_UNREACHABLE; its message is for the log and admins, as it may hold what the server said. */
export async function connect(
  server: McpServerConfig,
  means: ConnectionMeans,
  { signal, onToolsChanged }: { readonly signal: AbortSignal; readonly onToolsChanged: () => void },
): Promise<McpConnection> {
  const ended = new AbortController()
  const onLost = (): void => ended.abort()
  const link = server.reach.kind === 'PROGRAM' ? await startProgram(server, means) : openUrl(server, means, onLost)
  const client = new Client({ name: 'factotum', version: VERSION }, { capabilities: {} })
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a callback of the package, not of the DOM
  client.onclose = onLost
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  const close = async (): Promise<void> => {
    ended.abort()
    await Promise.race([link.leave(), means.clock.sleep(LEAVE_MS)])
    await client.close().catch(() => undefined)
    await link.close()
  }
  try {
    await client.connect(link.transport, { timeout: server.timeoutMs, signal })
  } catch (error) {
    await close()
    throw unreachable(server.reach.kind, error, link)
  }
  if (server.reach.kind === 'URL') void watch(client, means.clock, ended.signal)
  return { client, ended: ended.signal, describeEnd: link.describeEnd, close }
}

/** The variables of a server; rejects with the name of one that is not set. */
function secretsOf(reach: McpReach, keys: ApiKeys): Readonly<Record<string, string>> {
  const names = reach.kind === 'PROGRAM' ? reach.env : reach.bearer === null ? [] : [reach.bearer]
  return Object.fromEntries(
    names.map((name): [string, string] => {
      const value = keys.apiKey(name)
      if (value === null) throw new AppError('TOOLS_UNREACHABLE', `the secret ${name} is not set`)
      return [name, value]
    }),
  )
}

async function startProgram({ name, reach }: McpServerConfig, means: ConnectionMeans): Promise<Link> {
  if (reach.kind !== 'PROGRAM') throw new Error('only a program is started')
  const { command, args, hasNetwork } = reach
  const environment = secretsOf(reach, means.keys)
  const folder = join(means.home, 'mcp', name)
  const program = await means.programs.start({ folder, command, args, environment, hasNetwork })
  const transport = new ProgramTransport(program, means.clock)
  return {
    transport,
    // Before any of it is cut, or put into one line: half of a secret would not be recognised.
    describeEnd: () => ({ why: transport.whyClosed ?? 'was closed', lastWords: means.redact(transport.lastWords) }),
    leave: () => Promise.resolve(),
    close: () => transport.close(),
  }
}

function openUrl({ reach, timeoutMs }: McpServerConfig, means: ConnectionMeans, onLost: () => void): Link {
  if (reach.kind !== 'URL') throw new Error('only an address is opened')
  const { keys, guard, tracing = NO_TRACING, clock } = means
  const [bearer] = Object.values(secretsOf(reach, keys))
  const http = new GuardedFetch({ guard: reach.allowPrivate ? null : guard, timeoutMs, tracing, clock, onLost })
  const transport = new StreamableHTTPClientTransport(new URL(reach.url), {
    fetch: http.fetch,
    requestInit: bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } },
  })
  return {
    transport,
    describeEnd: () => ({ why: 'cannot be reached', lastWords: '' }),
    leave: () => transport.terminateSession().catch(() => undefined),
    close: () => http.close(),
  }
}

/** Over HTTP nothing says that a server has gone. One that is slow is left alone: it may be busy with a call. */
async function watch(client: Client, clock: Clock, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await clock.sleep(PING_MS, ended)
    if (!ended.aborted) await client.ping({ timeout: PING_MS }).catch(() => undefined)
  }
}

function unreachable(kind: McpReach['kind'], error: unknown, link: Link): AppError {
  if (error instanceof AppError) return error
  const what =
    kind === 'PROGRAM'
      ? `did not start as an MCP server does: it ${endOf(link)}`
      : `does not answer as an MCP server does (${messageOf(error)})`
  return new AppError('TOOLS_UNREACHABLE', what, { retry: 'backoff', cause: error })
}

/** In one line. Of a word that is cut nothing is shown. */
export function endOf({ describeEnd }: Pick<McpConnection, 'describeEnd'>): string {
  const { why, lastWords } = describeEnd()
  const isCut = lastWords.length > MAX_SAID_CHARS
  const tail = isCut ? lastWords.slice(-MAX_SAID_CHARS).replace(/^\S+/, '') : lastWords
  const said = tail.replaceAll(/\s+/g, ' ').trim()
  return said === '' ? why : `${why}, and said at last: ${said}`
}
