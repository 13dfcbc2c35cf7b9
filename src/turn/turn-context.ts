/**
 * What a turn works with: who and what it is for, the journal to write with, and the ports it may call. A story of a
 * turn takes all of it, each step what it uses.
 */
import type { Agents } from '../agents/agent.ts'
import type { LiveConfig } from '../config/config.ts'
import type { PublicUrl } from '../config/public-url.ts'
import type { CommandRunner } from '../execution/command.ts'
import type { Skills } from '../execution/skills/skill-catalog.ts'
import type { DelegationLimits } from '../core/tool/delegated.ts'
import type { Meaning } from '../knowledge/embeddings/embedder.ts'
import type { Dialogue } from '../core/dialogue.ts'
import { withoutTexts, type ModelCallRecord } from '../core/model-call.ts'
import type { BusyPolicy } from '../core/status.ts'
import type { RuntimeHolder } from '../model/runtime/runtime-holder.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { SessionSecrets } from '../secrets/session-secrets.ts'
import type { OpenTurn } from '../store/turn/begin-turn.ts'
import type { Database } from '../store/database.ts'
import type { JoinedMessage, Joining } from '../store/turn/join-turns.ts'
import type { ToolSnapshot } from '../tools/tool-catalog.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import type { DueSteps } from './due-steps.ts'
import type { TurnPlugins } from './hooks/turn-plugins.ts'
import type { Journal } from './journal.ts'
import type { TurnMessages } from './turn-messages.ts'

/** Made by the worker for each turn (src/worker/turn-at-hand.ts). */
export interface TurnContext {
  readonly sessionId: string
  /** Frozen when the turn starts: who asked, and what. */
  readonly turn: OpenTurn
  /** What the user said: the turn's message, and those that it has taken along. */
  readonly messages: TurnMessages
  /** What was said before, as its agents are shown it. */
  readonly dialogue: Dialogue
  /** What becomes of messages that arrive now; as of the last commit. */
  readonly busyPolicy: () => BusyPolicy
  /** Lets waiting messages join the turn, in a commit of its own; returns those that did. */
  readonly join: (joining: Joining) => Promise<readonly JoinedMessage[]>
  readonly journal: Journal
  /** Aborts when the turn must stop; `reason` is a StopReason. */
  readonly signal: AbortSignal
  /** Prompts and answers are redacted, except for a planner's answer (src/agents/redacted-agents.ts). */
  readonly agents: Agents
  /** What texts mean, which must hold no secret; what it cost is recorded. Null: no embedder is set, or it is away. */
  readonly meaningOf: (texts: readonly string[]) => Promise<Meaning | null>
  readonly secrets: SessionSecrets
  readonly commands: CommandRunner
  readonly skills: Skills
  /** All of them, as they were when the turn began; what its user may use of them is asked before each call. */
  readonly tools: ToolSnapshot
  /** Those that were enabled when the turn began. */
  readonly plugins: TurnPlugins
  /** Of a session that was opened for a delegated task: what it may call. */
  readonly delegated: DelegationLimits
  readonly config: LiveConfig
  /** FACTOTUM_HOME. */
  readonly home: string
  /** For links to files. */
  readonly publicUrl: Pick<PublicUrl, 'linkTo'>
  /** For reading. Writing goes through the journal. */
  readonly database: Database
  /** Where a runtime of a plugin stays open between answers. */
  readonly runtime: RuntimeHolder
  /** What is to be done after the answer. */
  readonly due: DueSteps
  /** Tells who watches facts that these have changed. */
  readonly notifyFacts: (ids: readonly string[]) => void
  readonly clock: Clock
  readonly logger: Logger
  readonly tracing: Tracing
}

/** What it takes to write a task's row, with its event and its entry in the audit. */
export type TaskContext = Pick<TurnContext, 'sessionId' | 'turn' | 'journal' | 'secrets' | 'clock' | 'tracing'>

/**
 * Why a turn is stopped from outside. CANCELLED: a cancel was requested, and the turn ends. HANDED_OVER (this process
 * shuts down) and LEASE_LOST (it may no longer write): the turn goes on elsewhere, and nothing more is written here.
 */
export type StopReason = 'CANCELLED' | 'HANDED_OVER' | 'LEASE_LOST'

/** How the story of a turn ends, from the point of view of a step that ends it. */
export type Ending =
  | { readonly kind: 'Done' }
  /** `failure` is for people: what happened and what to do. `detail`: what admins alone are told besides. */
  | { readonly kind: 'Failed'; readonly failure: string; readonly detail?: string }
  | { readonly kind: 'Stopped'; readonly reason: StopReason }
  /** The turn waits without a worker (see `pause` in core/turn-write.ts) and goes on from its rows. */
  | { readonly kind: 'Paused' }

/** Whether the turn goes on elsewhere, or later: it is left as it stands. */
export function goesOn(ending: Ending): boolean {
  return ending.kind === 'Paused' || (ending.kind === 'Stopped' && ending.reason !== 'CANCELLED')
}

/** Whether the turn was stopped to go on elsewhere: no outcome of what was under way is recorded here. */
export function isTakenAway({ signal }: Pick<TurnContext, 'signal'>): boolean {
  return signal.aborted && signal.reason !== 'CANCELLED'
}

/** The ending of a turn whose signal has aborted. */
export function stopped(context: Pick<TurnContext, 'signal'>): Ending {
  return { kind: 'Stopped', reason: context.signal.reason as StopReason }
}

/** The same for one that goes on elsewhere: what its calls have cost is counted, and they are made again there. */
export function stoppedAfter(
  context: Pick<TurnContext, 'signal' | 'journal'>,
  { calls }: { readonly calls: readonly ModelCallRecord[] },
): Ending {
  context.journal.record([], { modelCalls: calls.map(withoutTexts) })
  return stopped(context)
}
