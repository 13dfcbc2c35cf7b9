/**
 * The turn that a session run is at: what it works with, what it commits, and what follows from a commit for the
 * parts of the server that work beside turns.
 */
import type { Agents } from '../agents/agent.ts'
import type { AgentsFor } from '../agents/create-agents.ts'
import type { CallGate } from '../agents/call-gate.ts'
import { redactedAgents } from '../agents/redacted-agents.ts'
import { checkBudget, hasBudget } from '../audit/budget.ts'
import { currentName } from '../config/access/current-user.ts'
import type { LiveConfig } from '../config/config.ts'
import type { PublicUrl } from '../config/public-url.ts'
import type { ApprovalExpiry } from '../approvals/approval-expiry.ts'
import type { Outbox } from '../delivery/outbox.ts'
import { delegationOf, type DelegationLimits } from '../core/tool/delegated.ts'
import { pairDialogue, type HeldRows } from '../core/dialogue.ts'
import { AppError } from '../core/errors.ts'
import type { TurnWrite } from '../core/turn-write.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Feed } from '../events/feed.ts'
import { notificationsOf } from '../events/write-notifications.ts'
import type { CommandRunner } from '../execution/command.ts'
import type { Skills } from '../execution/skills/skill-catalog.ts'
import type { ToolCatalog } from '../tools/tool-catalog.ts'
import type { Checkpointer } from '../knowledge/checkpoints/checkpointer.ts'
import type { Embedder } from '../knowledge/embeddings/embedder.ts'
import type { RuntimeHolder } from '../model/runtime/runtime-holder.ts'
import type { Clock } from '../platform/clock.ts'
import { reasonOf } from '../platform/error-code.ts'
import { randomHex } from '../platform/random.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { HookName } from '../plugin-api/hook-inputs.ts'
import type { LiveHooks } from '../plugins/hooks/live-hooks.ts'
import type { TurnEnds } from '../plugins/hooks/turn-ends.ts'
import type { SecretStore } from '../secrets/secret-store.ts'
import type { BegunTurn, OpenTurn } from '../store/turn/begin-turn.ts'
import type { Database } from '../store/database.ts'
import { readLimits } from '../store/delegations/read-limits.ts'
import { joinTurns, type JoinedMessage, type Joining } from '../store/turn/join-turns.ts'
import type { Lease } from '../store/turn/lease.ts'
import { commitTurn, type Committed } from '../store/turn/turn-commit.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { countWrite } from './count-write.ts'
import { ownOfSession } from './own-of-session.ts'
import type { PausedTurns } from './paused-turns.ts'
import { SaidInTurn } from './said-in-turn.ts'
import { inCommitSpan, inTurnSpan } from './turn-spans.ts'
import { DueSteps } from '../turn/due-steps.ts'
import { Journal } from '../turn/journal.ts'
import { finishTurn } from '../turn/finish-turn.ts'
import { TurnPlugins } from '../turn/hooks/turn-plugins.ts'
import { resumeAttempts } from '../turn/resume-attempts.ts'
import { runTurn } from '../turn/run-turn.ts'
import { narrowTools } from '../turn/delegation/narrow-tools.ts'
import { settleTurn } from '../turn/settle-turn.ts'
import type { Ending, StopReason, TurnContext } from '../turn/turn-context.ts'
import { TurnMessages } from '../turn/turn-messages.ts'

/** What turns of a session are run with. */
export interface TurnOptions {
  readonly lease: Lease
  readonly database: Database
  readonly feed: Feed
  readonly doorbell: Doorbell
  readonly config: LiveConfig
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly publicUrl: PublicUrl
  readonly secrets: SecretStore
  readonly embedder: Embedder
  /** The agents of a turn, whose calls pass this gate. */
  readonly agentsFor: (own: AgentsFor) => Agents
  readonly commands: CommandRunner
  readonly skills: Skills
  readonly tools: ToolCatalog
  /** Of plugins. */
  readonly hooks: Pick<LiveHooks, 'now'>
  /** Given the ends of turns that plugins are to be given. */
  readonly turnEnds: Pick<TurnEnds, 'ended'>
  /** Woken for sessions that have texts to post. */
  readonly outbox: Pick<Outbox, 'wake'>
  /** Given the approvals that a commit has asked for. */
  readonly approvalExpiry: Pick<ApprovalExpiry, 'watch'>
  /** Woken when a turn has delegated, or a delegated task has ended. */
  readonly delegator: { wake(): void }
  /** Woken when a turn has begun to wait and may go on already. */
  readonly pausedTurns: Pick<PausedTurns, 'wake' | 'endCancelled' | 'changes'>
  /** Called after every turn that has ended. */
  readonly checkpointer: Pick<Checkpointer, 'turnEnded'>
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly tracing: Tracing
}

export class TurnAtHand {
  readonly #options: TurnOptions
  readonly #turn: OpenTurn
  readonly #logger: Logger
  readonly #abort = new AbortController()
  readonly #said: SaidInTurn
  readonly #runtime: RuntimeHolder
  /** How often the configuration and secrets had changed when the turn began here, or last wanted a model. */
  #changesSeen: number
  #isReleased = false

  /** `runtime`: where a runtime of a plugin stays open. */
  constructor(options: TurnOptions, begun: BegunTurn, runtime: RuntimeHolder) {
    this.#options = options
    this.#turn = this.#underCurrentName(begun.turn)
    this.#logger = options.logger.child({ turnId: begun.turn.id })
    this.#said = new SaidInTurn(begun)
    this.#runtime = runtime
    this.#changesSeen = options.pausedTurns.changes
  }

  get turnId(): string {
    return this.#turn.id
  }

  /** The turn's end gave the session back. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /** What the session's next turn need not read; null: that is not known. */
  get held(): HeldRows | null {
    return this.#said.held
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    if (!this.#abort.signal.aborted) this.#abort.abort(reason)
  }

  /** To its end, or until it is stopped. Once. */
  run(): Promise<Ending> {
    const { tracing, clock, lease } = this.#options
    const running = { sessionId: lease.sessionId, turn: this.#turn, now: clock.now() }
    return inTurnSpan(tracing, running, () => this.#runInSpan())
  }

  /** Its user may become another one meanwhile: what the turn does from then on, it does as that one. */
  #underCurrentName(turn: OpenTurn): OpenTurn {
    const { config } = this.#options
    return Object.defineProperty({ ...turn }, 'userName', {
      enumerable: true,
      get: () => currentName(config.current(), turn.userName),
    })
  }

  async #runInSpan(): Promise<Ending> {
    const { metrics, clock, database, lease } = this.#options
    const turn = this.#turn
    const logger = this.#logger
    const delegated = await readLimits(database, lease.sessionId)
    const context = this.#contextOf(turn, delegated)
    const beganMs = clock.monotonicMs()
    logger.info({ resumed: turn.resumed }, 'turn begins')
    metrics.runningTurns.inc()
    metrics.saidBefore.inc({ from: turn.saidBefore.isHeld ? 'memory' : 'database' })
    const ending = await this.#endingOf(context).finally(() => metrics.runningTurns.dec())
    metrics.turns.inc({ status: ending.kind })
    metrics.turnSeconds.observe({ status: ending.kind }, (clock.monotonicMs() - beganMs) / 1000)
    logger.info(
      { ending: ending.kind, failure: ending.kind === 'Failed' ? (ending.detail ?? ending.failure) : undefined },
      'turn ends',
    )
    return ending
  }

  async #commit(turn: OpenTurn, write: TurnWrite): Promise<Committed> {
    const { database, lease, metrics, tracing } = this.#options
    const commit = (): Promise<Committed> => commitTurn(database, { lease, turn }, write)
    const committed = await inCommitSpan(tracing, { turn, write }, commit)
    this.#said.committed(write, committed)
    countWrite(metrics, write)
    this.#notify(write, committed)
    this.#isReleased = committed.released
    await this.#followUp(turn.id, write, committed)
    return committed
  }

  /** What a committed write leaves to the parts of the server that work beside turns. */
  async #followUp(turnId: string, write: TurnWrite, committed: Committed): Promise<void> {
    const { lease, outbox, approvalExpiry, checkpointer, delegator, turnEnds, pausedTurns } = this.#options
    if (write.finish !== undefined) checkpointer.turnEnded(lease.sessionId, committed.turnsSinceCheckpoint)
    if (write.finish !== undefined && delegationOf(lease.sessionId) !== null) delegator.wake()
    if (write.finish?.hooksDue !== undefined) turnEnds.ended(turnId)
    await approvalExpiry.watch(write.approvals ?? [])
    // What lets the turn go on, or end, came while it was being paused: it was not among those that wait.
    if (write.pause !== undefined && committed.cancelRequested) pausedTurns.endCancelled()
    if (write.pause !== undefined && pausedTurns.changes !== this.#changesSeen) pausedTurns.wake()
    const delegated = [...(write.delegations ?? []), ...(write.delegationSteps ?? [])]
    if (delegated.length > 0) delegator.wake()
    if (committed.hasDeliveries) outbox.wake(lease.sessionId)
  }

  /** Says to the other processes what a committed write has changed besides the log. */
  #notify(write: TurnWrite, { hasDeliveries }: Committed): void {
    const { doorbell, lease } = this.#options
    for (const one of notificationsOf({ sessionId: lease.sessionId, write, hasDeliveries })) doorbell.ring(one)
  }

  #contextOf(turn: OpenTurn, delegated: DelegationLimits): TurnContext {
    const { lease, database, feed, doorbell, clock, config, home, publicUrl } = this.#options
    const { commands, skills, tools, tracing, secrets: known } = this.#options
    const secrets = known.forSession(lease.sessionId)
    const logger = this.#logger
    let { busyPolicy } = turn
    const journal = new Journal({
      sessionId: lease.sessionId,
      turnId: turn.id,
      userName: () => turn.userName,
      tokenName: turn.tokenName,
      participates: turn.participates,
      usage: turn.usage,
      deaths: turn.takeovers,
      clock,
      redactor: () => secrets.redactor(),
      commit: async (write) => {
        const committed = await this.#commit(turn, write)
        busyPolicy = committed.busyPolicy
        return committed
      },
      onCommitted: (events) => feed.published(events),
      onCancelRequested: () => this.stop('CANCELLED'),
      onFailure: (error) => {
        logger.warn({ error: reasonOf(error) }, 'the turn can no longer write; it stops')
        this.stop('LEASE_LOST')
      },
    })
    const dialogue = pairDialogue(turn.saidBefore.said, config.current().settings.contextTokens)
    return {
      sessionId: lease.sessionId,
      turn,
      messages: new TurnMessages(turn),
      dialogue,
      busyPolicy: () => busyPolicy,
      join: (joining) => this.#join(turn, joining),
      journal,
      signal: this.#abort.signal,
      ...this.#modelsOf(turn, journal, delegated),
      secrets,
      commands,
      skills,
      tools: narrowTools(tools.snapshot(), delegated),
      plugins: this.#plugins(),
      delegated,
      config,
      home,
      publicUrl,
      database,
      runtime: this.#runtime,
      due: new DueSteps(turn.saidBefore.due, dialogue),
      notifyFacts: (ids) => ids.forEach((id) => doorbell.ring({ kind: 'row', id })),
      clock,
      logger,
      tracing,
    }
  }

  /** What calls of models have cost is a part of the turn. */
  #modelsOf(turn: OpenTurn, journal: Journal, delegated: DelegationLimits): Pick<TurnContext, 'agents' | 'meaningOf'> {
    const { agentsFor, embedder, secrets, lease } = this.#options
    const own = this.#ownOf(turn, journal, delegated)
    const { signal } = this.#abort
    return {
      agents: redactedAgents(agentsFor(own), () => secrets.redactorOf(lease.sessionId)),
      meaningOf: async (texts) => {
        const { meaning, calls } = await embedder.meaningOf(texts, own.gate, signal)
        if (calls.length > 0) journal.record([], { modelCalls: calls })
        return meaning
      },
    }
  }

  #plugins(): TurnPlugins {
    const { hooks, clock } = this.#options
    const { signal } = this.#abort
    const onLeftOut = (hook: HookName): void =>
      this.#logger.warn({ hook }, 'plugins are slower than their turn; a notification is left out')
    return new TurnPlugins({ hooks: hooks.now(), signal, clock, onLeftOut })
  }

  #ownOf(turn: OpenTurn, journal: Journal, delegated: DelegationLimits): AgentsFor {
    const config = this.#options.config.current()
    const gate = this.#gateOf(turn, journal, delegated)
    const timeZone = turn.timeZone ?? config.settings.timeZone
    return { gate, timeZone, runtime: this.#runtime, logger: this.#logger, ...ownOfSession(config, turn) }
  }

  #gateOf(turn: OpenTurn, journal: Journal, { share }: DelegationLimits): CallGate {
    const { database, config, lease, pausedTurns } = this.#options
    return async (made) => {
      const { userName } = turn
      this.#changesSeen = pausedTurns.changes
      if (!hasBudget(config.current(), userName)) return null
      // What the turn has used must be in the rows that are summed up.
      await journal.flushed()
      return checkBudget(database, config.current(), { sessionId: lease.sessionId, userName, made, share })
    }
  }

  async #join(turn: OpenTurn, joining: Joining): Promise<readonly JoinedMessage[]> {
    const { database, feed, lease } = this.#options
    const { joined, events } = await joinTurns(database, { lease, turn }, joining)
    feed.published(events)
    return joined
  }

  /** A failure of the world leaves the turn to be continued; a bug ends it, or it would come back for ever. */
  async #endingOf(context: TurnContext): Promise<Ending> {
    try {
      const ending = await runTurn(context)
      // A turn that goes on elsewhere: what was recorded is still written, if it can be.
      await context.journal.flushed()
      return ending
    } catch (error) {
      if (error instanceof AppError) {
        context.logger.warn({ code: error.code, error: error.message }, 'turn stopped here; it will be continued')
        return { kind: 'Stopped', reason: 'LEASE_LOST' }
      }
      const correlationId = randomHex(8)
      context.logger.error({ err: error, correlationId }, 'a bug ended the turn')
      const failure = `The server made an error while it worked on this (reference ${correlationId}).`
      return this.#endFailed(context, failure)
    }
  }

  /**
   * Ends the turn from its rows, as one that is resumed, and with a journal of its own: the turn's may be what failed,
   * and then writes nothing more.
   */
  async #endFailed({ turn, journal, delegated }: TurnContext, failure: string): Promise<Ending> {
    // What is being committed must be in the rows that are read next. A failure was logged when it happened.
    await Promise.allSettled([journal.flushed()])
    const context = this.#contextOf(
      { ...turn, resumed: true, usage: journal.usage, takeovers: journal.deaths },
      delegated,
    )
    const failed: Ending = { kind: 'Failed', failure }
    settleTurn(context, await resumeAttempts(context), failed)
    return finishTurn(context, failed)
  }
}
