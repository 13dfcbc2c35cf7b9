/**
 * Sends delegated tasks to sessions of their own, and brings back what came of them, or what they ask people for: it
 * polls every second, in every process, and is woken when this process has something for it. Nothing is kept in memory:
 * what is due follows from the rows, and each statement lets one process act, so it goes on wherever a process died.
 */
import { isOutage } from '../core/errors.ts'
import { MAX_PER_DAY, childIdOf } from '../core/tool/delegated.ts'
import { withdraw } from '../intake/message/withdraw-message.ts'
import type { Logger } from '../platform/logger.ts'
import { oneByOne } from '../platform/waiting/one-by-one.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { readMisledTurns, writeReason, type MisledTurn } from '../store/delegations/asked-below.ts'
import {
  changeDelegation,
  closeDelegation,
  countDelegation,
  readOpenDelegations,
  type DelegationChange,
  type OpenDelegation,
} from '../store/delegations/delegation-rows.ts'
import { requestCancel } from '../store/intake/intake-cancel-turn.ts'
import { makeReady } from '../store/turn/paused-turns.ts'
import type { Timing } from '../config/timing.ts'
import type { DelegatorContext } from './delegator-context.ts'
import { sendDelegated } from './send-delegated.ts'

export interface DelegatorOptions {
  readonly intake: DelegatorContext
  readonly logger: Logger
  readonly timing: Pick<Timing, 'delegationPollMs'>
}

const BATCH = 200

export class Delegator {
  readonly #options: DelegatorOptions
  readonly #poll: Periodic

  constructor(options: DelegatorOptions) {
    this.#options = options
    const { intake, timing, logger } = options
    const tick = (signal: AbortSignal): Promise<void> => this.#tick(signal)
    this.#poll = new Periodic({
      name: 'delegation poll',
      everyMs: timing.delegationPollMs,
      tick,
      isOutage,
      clock: intake.clock,
      logger,
    })
  }

  start(): void {
    this.#poll.start()
  }

  /** Something is due now. Nothing before `start`. */
  wake(): void {
    this.#poll.wake()
  }

  /** What is under way is done to its end. Repeatable; never rejects. */
  stop(): Promise<void> {
    return this.#poll.stop()
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { intake, logger } = this.#options
    const open = await readOpenDelegations(intake.database, BATCH)
    const misled = await readMisledTurns(intake.database, BATCH)
    const due: readonly Due[] = [
      ...open.map((delegation) => ({ of: { delegationId: delegation.id }, act: () => attend(intake, delegation) })),
      ...misled.map((turn) => ({ of: { turnId: turn.turnId }, act: () => explainPause(intake, turn) })),
    ]
    const failure = await oneByOne(due, {
      act: ({ act }) => act(),
      isOutage,
      onBug: (error, { of }) => logger.error({ err: error, ...of }, 'delegation failed; the next poll retries it'),
      signal,
    })
    if (failure !== null) throw failure
  }
}

/** What is left to do for a delegated task, or the turn that waits for it. */
interface Due {
  readonly of: { readonly delegationId: string } | { readonly turnId: string }
  readonly act: () => Promise<void>
}

function attend(context: DelegatorContext, delegation: OpenDelegation): Promise<void> {
  const { status, answered, isOverdue, isUnseen, parentSleeps } = delegation
  if (isUnseen && parentSleeps) return wakeParent(context, delegation.sessionId)
  if (status !== 'PENDING' && status !== 'RUNNING') return close(context, delegation)
  if (answered) return wakeParent(context, delegation.sessionId)
  if (isOverdue)
    return change(context, delegation, { ...FAILED, failure: 'It took longer than delegation_timeout allows.' })
  return status === 'PENDING' ? send(context, delegation) : settle(context, delegation)
}

const FAILED = { status: 'FAILED', childId: null, answer: null } as const

/** The message's id is the round's, so that it is in the child once, whichever process dies when. */
async function send(context: DelegatorContext, delegation: OpenDelegation): Promise<void> {
  const { database } = context
  if (!delegation.started && !(await countDelegation(database, delegation, MAX_PER_DAY))) {
    const failure = `${delegation.userName} has delegated ${MAX_PER_DAY} tasks in the last 24 hours, which is the limit.`
    return change(context, delegation, { ...FAILED, failure })
  }
  const failure = await sendDelegated(context, delegation)
  if (failure !== null) return change(context, delegation, { ...FAILED, failure })
  await change(context, delegation, {
    status: 'RUNNING',
    childId: childIdOf(delegation.id),
    answer: null,
    failure: null,
  })
}

/** The child's turn has ended, or is gone. */
function settle(context: DelegatorContext, delegation: OpenDelegation): Promise<void> {
  const { messageStatus, turnFailure, said } = delegation
  if (messageStatus === 'DONE')
    return change(context, delegation, { status: 'RUNNING', childId: null, answer: said ?? '', failure: null })
  if (messageStatus === null) return change(context, delegation, { ...FAILED, failure: 'Its session was deleted.' })
  const ended = messageStatus === 'CANCELLED' ? 'It was cancelled.' : 'Its turn failed.'
  return change(context, delegation, { ...FAILED, failure: turnFailure ?? ended })
}

async function change(context: DelegatorContext, was: OpenDelegation, to: DelegationChange): Promise<void> {
  const changed = await changeDelegation(context.database, was, to)
  if (changed === null) return
  if (changed.isReady) context.doorbell.ring({ kind: 'work', sessionId: was.sessionId })
  context.feed.published([changed.event])
}

/** Its children have begun to wait for people, or have ceased to. */
async function explainPause({ database, feed }: DelegatorContext, turn: MisledTurn): Promise<void> {
  const event = await writeReason(database, turn)
  if (event !== null) feed.published([event])
}

/** Its turn was made to wait just when the answer came, or the failure. */
async function wakeParent({ database, doorbell }: DelegatorContext, sessionId: string): Promise<void> {
  await makeReady(database, [sessionId])
  doorbell.ring({ kind: 'work', sessionId })
}

/**
 * It has ended: so must the child's turn, which then ends what it has delegated itself. One that waits is not begun.
 * It stays open until its task has ended too: the turn that delegated may be made to wait without knowing of a failure.
 */
async function close(context: DelegatorContext, delegation: OpenDelegation): Promise<void> {
  const { messageStatus, isOld, isUnseen } = delegation
  if (messageStatus === 'QUEUED' || messageStatus === 'PROCESSING') return endChild(context, delegation)
  const isOver = messageStatus !== null || isOld
  if (isOver && !isUnseen) await closeDelegation(context.database, delegation.id)
}

async function endChild(context: DelegatorContext, delegation: OpenDelegation): Promise<void> {
  const { database, doorbell } = context
  const { messageId, messageStatus, userName, tokenName } = delegation
  const sessionId = childIdOf(delegation.id)
  // One that has begun meanwhile is cancelled by the next poll.
  if (messageStatus === 'QUEUED') {
    await withdraw(context, { messageId, sessionId, actor: { userName, tokenName } })
    return
  }
  const access = { all: true, userName, tokenName, opener: '', mustHaveOpened: false }
  const cancelled = await requestCancel(database, access, { sessionId, turnId: null })
  if (cancelled.kind !== 'Requested') return
  doorbell.ring({ kind: 'cancel', sessionId, turnId: cancelled.turnId })
  if (cancelled.ready) doorbell.ring({ kind: 'work', sessionId })
}
