/** Carries out a command that talks to a server. `cli.ts` calls it, and sets what it returns as the exit code. */
import { ClientError, connect, type FactotumClient } from '../../packages/client/src/connect.ts'
import type { RemoteAction } from '../config/command-line/remote-action.ts'
import { TerminalMeDocument } from '../generated/remote/graphql.ts'
import type { Clock } from '../platform/clock.ts'
import { approve } from './approve.ts'
import { ask } from './ask.ts'
import { AWAY_MS } from './until-away.ts'
import { change } from './change-commands.ts'
import { chat } from './chat/chat.ts'
import {
  listFacts,
  listLearnings,
  listMatches,
  listSecrets,
  listSessions,
  listTokens,
  listUsers,
} from './list-commands.ts'
import { EXIT, RefusedError, type ExitCode } from './outcome.ts'
import { reviewLearnings } from './review-learnings.ts'
import { showUsage } from './show-usage.ts'
import { printError, type Terminal, print } from './terminal.ts'
import { describeEvent } from './describe-event.ts'
import { harmless } from '../core/text/harmless.ts'

export interface RemoteOptions {
  readonly url: string
  readonly token: string
  /** It was written into config.toml just now: the server lets it in within a second. */
  readonly isNewToken: boolean
  readonly clock: Clock
  readonly terminal: Terminal
  /**
   * From its call on, an interrupt (Ctrl-C) aborts the signal, once, instead of ending the process: for what has a way
   * of its own to end.
   */
  readonly takeInterrupts: () => AbortSignal
}

/** How long a call tries to reach a server that does not answer. */
const PATIENCE_MS = 10_000

const NEW_TOKEN_MS = 5000
const POLL_MS = 100

/** A server that cannot be reached, does not let the token in, or refuses, is said on standard error, and a failure. */
export async function runRemote(action: RemoteAction, options: RemoteOptions): Promise<ExitCode> {
  const { url, token, terminal } = options
  let isLost = false
  let patienceMs = PATIENCE_MS
  // What waits for an answer of the server, or follows it, has one that comes back.
  const waitForReturn = (): void => void (patienceMs = AWAY_MS)
  const client = connect({
    url,
    token,
    get patienceMs() {
      return patienceMs
    },
    onConnection: (state) => {
      if (state === 'open') waitForReturn()
      if (isLost && state === 'open' && terminal.isInteractive) printError(terminal, 'The connection is back.')
      isLost = state === 'closed'
    },
  })
  try {
    if (options.isNewToken) await untilLetIn(client, options.clock)
    return (await carryOut(action, client, { ...options, waitForReturn })) ?? EXIT.done
  } catch (error) {
    const isRefused = error instanceof RefusedError
    if (!isRefused && !(error instanceof ClientError)) throw error
    printError(terminal, `factotum: ${isRefused ? error.message : describeClientError(error, url)}`)
    return EXIT.failed
  } finally {
    client.close()
  }
}

function describeClientError({ code, message }: ClientError, url: string): string {
  if (code === 'UNREACHABLE')
    return `The server at ${url} cannot be reached. Is it running? --url or FACTOTUM_URL names another one. (${message})`
  if (code === 'UNAUTHENTICATED')
    return `The server at ${url} does not let this token in: ${message} Set FACTOTUM_TOKEN; for a server on this machine, remove terminal-token in its home, and another one is made.`
  return message
}

async function untilLetIn(client: FactotumClient, clock: Clock): Promise<void> {
  const deadlineMs = clock.monotonicMs() + NEW_TOKEN_MS
  for (;;) {
    try {
      await client.run(TerminalMeDocument, {})
      return
    } catch (error) {
      const isUnknownYet = error instanceof ClientError && error.code === 'UNAUTHENTICATED'
      if (!isUnknownYet || clock.monotonicMs() >= deadlineMs) throw error
      await clock.sleep(POLL_MS)
    }
  }
}

async function carryOut(
  action: RemoteAction,
  client: FactotumClient,
  { terminal, takeInterrupts, clock, waitForReturn }: RemoteOptions & { readonly waitForReturn: () => void },
): Promise<ExitCode | void> {
  switch (action.do) {
    case 'chat':
      return chat(client, terminal, action.sessionId)
    case 'ask':
      return ask(client, terminal, { ...action, takeInterrupts, clock, waitForReturn })
    case 'sessions':
      return listSessions(client, terminal, action)
    case 'search':
      return listMatches(client, terminal, action)
    case 'tail':
      return tail(client, terminal, { ...action, signal: takeInterrupts() })
    case 'approve':
      return approve(client, terminal, action)
    case 'facts':
      return listFacts(client, terminal, action)
    case 'learnings':
      return listLearnings(client, terminal, action.json)
    case 'learnings-review':
      return reviewLearnings(client, terminal)
    case 'users':
      return listUsers(client, terminal, action.json)
    case 'tokens':
      return listTokens(client, terminal, action.json)
    case 'secrets':
      return listSecrets(client, terminal, action.json)
    case 'usage':
      return showUsage(client, terminal, { ...action, clock })
    default:
      return change(client, terminal, action)
  }
}

interface TailOptions {
  readonly sessionId: string
  readonly after: number | null
  readonly json: boolean
  /** Ends it. */
  readonly signal: AbortSignal
}

/**
 * `factotum tail`: the log of a session, as it grows.
 * As JSON, each event is a line of its own.
 */
async function tail(client: FactotumClient, terminal: Terminal, options: TailOptions): Promise<void> {
  const { sessionId, after, json, signal } = options
  const from = after === null ? {} : { after }
  const session = client.session(sessionId)
  if ((await session.view({ signal })) === null)
    printError(terminal, harmless(`There is no session "${sessionId}" yet; waiting for its first message.`))
  for await (const event of session.events({ ...from, signal })) {
    const line = json ? JSON.stringify(event) : describeEvent(event)
    if (line !== null) print(terminal, line)
  }
}
