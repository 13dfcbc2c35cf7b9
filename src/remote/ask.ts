/** `factotum ask`: one message, and its answer. */
import { styleText } from 'node:util'
import { text } from 'node:stream/consumers'
import { ClientError, type FactotumClient, type SessionEvent } from '../../packages/client/src/connect.ts'
import type { RemoteAction } from '../config/command-line/remote-action.ts'
import { whatRuns } from '../core/plan/what-runs.ts'
import { TerminalOpenSessionDocument } from '../generated/remote/graphql.ts'
import type { Clock } from '../platform/clock.ts'
import { sendDecision } from './approve.ts'
import { describeStep } from './chat/describe-chat.ts'
import { harmless } from '../core/text/harmless.ts'
import { readEnd, type AskedEnd } from './asked-end.ts'
import { readPending, type PendingApproval } from './pending-approvals.ts'
import { EXIT, refusalOf, RefusedError, type ExitCode } from './outcome.ts'
import { choose } from './questions.ts'
import { print, printError, type Terminal } from './terminal.ts'
import { untilAway } from './until-away.ts'

type AskAction = Extract<RemoteAction, { do: 'ask' }>

interface AskOptions {
  /** Called once the message is sent: before, no turn goes on. */
  readonly takeInterrupts: () => AbortSignal
  readonly clock: Clock
  /** Called once the message is accepted: a server that leaves from then on is waited for. */
  readonly waitForReturn: () => void
}

/** Waits as long as the turn takes, also for a server that is away meanwhile, but not for ever. */
export async function ask(
  client: FactotumClient,
  terminal: Terminal,
  { takeInterrupts, clock, waitForReturn, ...action }: AskAction & AskOptions,
): Promise<ExitCode> {
  const content = action.content ?? (await text(terminal.input))
  const sessionId = action.sessionId ?? (await newSession(client))
  const session = client.session(sessionId)
  const view = await session.view()
  const after = view?.version ?? 0
  const follow = `factotum tail ${sessionId} --after ${after}`
  try {
    const sent = await session.send(content)
    if (sent.__typename !== 'SendMessagePayload') {
      printError(terminal, `factotum: ${refusalOf(sent)}`)
      return EXIT.failed
    }
    waitForReturn()
    const asked: AwaitedAnswer = { client, terminal, json: action.json, sessionId, messageId: sent.message.id }
    const since = { after, pausedReason: view?.activeTurn?.turn.pausedReason ?? null }
    const isAway = untilAway(client, clock)
    const ended = await Promise.race([untilEnded(asked, since), untilAborted(takeInterrupts()), isAway])
    if (ended !== null) return ended
    printError(terminal, `What was asked goes on; follow it with: ${follow}`)
    return EXIT.interrupted
  } catch (error) {
    if (error instanceof ClientError && error.isPassing)
      printError(terminal, `What arrived goes on without this command; once the server is back, see it with: ${follow}`)
    throw error
  }
}

function untilAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })
}

interface AwaitedAnswer {
  readonly client: FactotumClient
  readonly terminal: Terminal
  readonly json: boolean
  readonly sessionId: string
  readonly messageId: string
}

interface AskedSince {
  readonly after: number
  /** Why the session waited by then. */
  readonly pausedReason: string | null
}

/**
 * A message may have ended when it was sent, and the session may have waited before: no event behind `after` tells of
 * either.
 */
async function untilEnded(asked: AwaitedAnswer, { after, pausedReason }: AskedSince): Promise<ExitCode> {
  const { client, terminal, sessionId, messageId } = asked
  const session = client.session(sessionId)
  // Before the end is read: what waits then keeps a message waiting that has not ended.
  const pending = await readPending(client, sessionId)
  const end = await readEnd(client, messageId)
  if (end !== null) return showEnd(end, asked)
  const settled = new Set<string>()
  if (!(await settleAll(pending, settled, asked))) return EXIT.waits
  if (pending.length === 0 && pausedReason !== null) sayWhy(pausedReason, terminal)
  for await (const event of session.events({ after })) {
    showProgress(event, asked)
    if (event.__typename === 'TurnPausedEvent') {
      const waiting = await readPending(client, sessionId)
      if (!(await settleAll(waiting, settled, asked))) return EXIT.waits
      if (waiting.length === 0 && !terminal.isInteractive) sayWhy(event.pausedReason, terminal)
    }
    const mayBeOver = event.__typename === 'TurnCompletedEvent' || event.__typename === 'MessageUpdatedEvent'
    const later = mayBeOver ? await readEnd(client, messageId) : null
    if (later !== null) return showEnd(later, asked)
  }
  return EXIT.failed
}

async function newSession(client: FactotumClient): Promise<string> {
  const { openSession } = await client.run(TerminalOpenSessionDocument, { input: {} })
  if (openSession.__typename === 'OpenSessionPayload') return openSession.session.id
  throw new RefusedError(refusalOf(openSession) ?? 'the session was not opened')
}

/** To a person who watches; the answer alone is for pipes. */
function showProgress(event: SessionEvent, { terminal }: AwaitedAnswer): void {
  const line = terminal.isInteractive ? describeStep(event) : null
  if (line !== null) printError(terminal, styleText('dim', line))
}

/** A budget, or a provider that is away: that may last for hours, so a script's standard error has it, too. */
function sayWhy(pausedReason: string, terminal: Terminal): void {
  printError(terminal, `waits: ${harmless(pausedReason)}`)
}

/**
 * False: one waits that cannot be decided here. `settled`: was asked about before. When one is denied, a plan takes
 * back what else it asks for, and a conversation pauses anew for that.
 */
async function settleAll(
  pending: readonly PendingApproval[],
  settled: Set<string>,
  asked: AwaitedAnswer,
): Promise<boolean> {
  for (const approval of pending) {
    if (settled.has(approval.id)) continue
    const verdict = await settle(approval, asked)
    if (verdict === null) return false
    settled.add(approval.id)
    if (verdict === 'no') break
  }
  return true
}

/** Null: it cannot be decided here. */
async function settle(approval: PendingApproval, { client, terminal }: AwaitedAnswer): Promise<'yes' | 'no' | null> {
  const { id, approvalReason } = approval
  const what = whatRuns(approval).join('\n  ')
  printError(terminal, harmless(`It waits for an approval: ${what}\n  because: ${approvalReason}`))
  const verdict = terminal.isInteractive
    ? await choose(terminal, 'May it run?', [
        { value: 'yes', label: 'Yes' },
        { value: 'no', label: 'No' },
      ])
    : null
  if (verdict === null) {
    printError(terminal, `Decide with: factotum approve ${id} (or --deny)`)
    return null
  }
  const refusal = await sendDecision(client, { id, approve: verdict === 'yes', forSession: false, note: null })
  if (refusal !== null) printError(terminal, `factotum: ${refusal}`)
  return verdict
}

const STORED = `It is on record, and starts no turn: in a group only an admin's message always does. A user's is
answered when it mentions the agent, on the group's platform or by sendMessage(input: { mentioned: true }).`

function showEnd({ status, turn }: AskedEnd, { terminal, json, sessionId, messageId }: AwaitedAnswer): ExitCode {
  const answer = turn?.answer?.content ?? null
  const { failure = null, id: turnId = null, usage = null } = turn ?? {}
  if (json) print(terminal, JSON.stringify({ sessionId, messageId, turnId, status, answer, failure, usage }, null, 2))
  else if (answer !== null) print(terminal, harmless(answer))
  if (status === 'DONE') return EXIT.done
  if (status === 'STORED') {
    printError(terminal, STORED)
    return EXIT.done
  }
  if (!json) printError(terminal, `factotum: ${harmless(failure ?? `the message is ${status}`)}`)
  return EXIT.failed
}
