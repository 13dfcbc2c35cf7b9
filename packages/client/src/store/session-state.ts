/**
 * What a SessionStore shows: one immutable value. What an event does not concern keeps its identity, so a component
 * that selects a part of it renders only when that part changes.
 */
import type { ClientError } from '../client-error.ts'
import type { ConnectionState } from '../connection.ts'
import type {
  ApprovalFieldsFragment,
  MessageStatus,
  StoreAuthorFragment,
  StoreEventsSubscription,
  StorePageQuery,
  StorePlanFragment,
  StoreSessionFragment,
  StoreTaskFragment,
  StoreViewFragment,
  TurnFieldsFragment,
  UsageFieldsFragment,
} from '../generated/graphql.ts'

/** An event of the log with what a store selects of it. */
export type StoreEvent = StoreEventsSubscription['sessionEvents']
/** The session as a store reads it: its view, and the end of its conversation. */
export type StorePage = NonNullable<StorePageQuery['session']>

interface EntryBase {
  /** For lists of components: it stays the same while a message is sent and while a text is written. */
  readonly key: string
  /** Its place in the log; null while it is being sent or written. */
  readonly seq: number | null
  readonly at: string
  readonly turnId: string | null
  readonly content: string
}

/** What a person, or a program for one, has said. */
export interface PersonEntry extends EntryBase {
  readonly kind: 'person'
  readonly author: StoreAuthorFragment | null
  /** Null until the server has accepted it. */
  readonly message: { readonly id: string; readonly status: MessageStatus } | null
  /** The names of the files that it names; those that are gone are left out. */
  readonly files: readonly string[]
  /** Of a message of this page: under way, or why it did not arrive. Null: it has. */
  readonly sending: SendingState | null
}

/**
 * FAILED: `retry` sends it again, without doubling it. REFUSED: `problem` says why; the same would be refused again.
 */
export interface SendingState {
  readonly status: 'SENDING' | 'FAILED' | 'REFUSED'
  readonly problem: string | null
}

/** What the agent has said, or is saying: `isStreaming`. */
export interface AgentEntry extends EntryBase {
  readonly kind: 'agent'
  /** More is being written. */
  readonly isStreaming: boolean
  /** The answer of its turn. */
  readonly final: boolean
  readonly taskId: string | null
}

/** The server in its own words. */
export interface NoticeEntry extends EntryBase {
  readonly kind: 'notice'
  readonly taskId: string | null
}

/** What a model shows of its reasoning. Of turns that ended before the page was read only the newest are there. */
export interface ThinkingEntry extends EntryBase {
  readonly kind: 'thinking'
  readonly isStreaming: boolean
}

/** One entry of the conversation; `kind` says which. */
export type Entry = PersonEntry | AgentEntry | NoticeEntry | ThinkingEntry

/** A task of a plan, with what is known of its output. */
export interface TaskState extends StoreTaskFragment {
  /** What it has written so far: of a command its output, of a text task its text. The last 65 536 characters. */
  readonly output: string
  readonly stderr: string
  /** As the tool says, while it runs. */
  readonly progress: { readonly done: number; readonly total: number | null; readonly message: string | null } | null
}

/** A plan with the state of its tasks, in their order. */
export interface PlanState extends Omit<StorePlanFragment, 'tasks'> {
  readonly tasks: readonly TaskState[]
}

/** A turn with the plans that it has followed. */
export interface TurnState extends TurnFieldsFragment {
  /** The plan that it follows, its newest one. Null until there is one, or where it was not read. */
  readonly plan: PlanState | null
  /** The first plan, then one for each replan. */
  readonly plans: readonly PlanState[]
}

/** A session as a page shows it. */
export interface SessionState {
  /**
   * 'loading' until the session was read, once or anew after 'failed'; 'absent': there is none yet, and the first
   * message opens it; 'failed': `error` says why. It is tried again by itself while something listens, and becomes
   * 'ready' once it goes well; where the server refuses who asks, or what for, when something listens anew, a message
   * is accepted, and with `reload`.
   */
  readonly status: 'loading' | 'ready' | 'absent' | 'failed'
  readonly error: ClientError | null
  readonly connection: ConnectionState
  readonly session: (StoreSessionFragment & { readonly status: StoreViewFragment['status'] }) | null
  /** In the order of the log; then what is being written, then what is being sent. */
  readonly entries: readonly Entry[]
  readonly hasOlder: boolean
  readonly isLoadingOlder: boolean
  /** The turn that runs or waits for approvals; when none does, the last one that did. */
  readonly turn: TurnState | null
  /** Whether `turn` runs or waits for approvals. */
  readonly isBusy: boolean
  /** The turns that are known here, by id: of entries that were paged back to after `loadTurn`. At most 50. */
  readonly turns: Readonly<Record<string, TurnState>>
  /** Messages that wait, next to run first; at most 20 of `queueLength`. */
  readonly queue: StoreViewFragment['queue']
  readonly queueLength: number
  /** What the turn waits for. */
  readonly approvals: readonly ApprovalFieldsFragment[]
  readonly questions: StoreViewFragment['questions']
  /** Of all turns of the session. Null until it was read. */
  readonly usage: UsageFieldsFragment | null
  /** seq up to which all of this has happened. */
  readonly version: number
}

/** What a store shows before it has read anything, and on a server that renders pages. */
export const NOTHING_YET: SessionState = {
  status: 'loading',
  error: null,
  connection: 'idle',
  session: null,
  entries: [],
  hasOlder: false,
  isLoadingOlder: false,
  turn: null,
  isBusy: false,
  turns: {},
  queue: [],
  queueLength: 0,
  approvals: [],
  questions: [],
  usage: null,
  version: 0,
}
