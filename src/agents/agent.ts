/** The agents as the turn sees them: each is a question with a typed answer, and the record of the calls it took. */
import type { Role } from '../core/identity.ts'
import type { AppError } from '../core/errors.ts'
import type { Dialogue } from '../core/dialogue.ts'
import type { AgentRole, ModelCallRecord } from '../core/model-call.ts'
import type { ConversationAnswer, OfferedTool } from '../model/conversation/conversation.ts'
import type { ProposedPlan } from '../core/plan/plan.ts'
import type { JsonObject } from '../core/tool/json.ts'
import type { SkillSummary } from '../core/plan/skill.ts'
import type { ConversationType, ReviewVerdict, TaskStatus, TaskType } from '../core/status.ts'

/** Every call that was made is recorded, also those of a question that failed in the end. */
export type Answer<T> =
  | { readonly kind: 'answered'; readonly output: T; readonly calls: readonly ModelCallRecord[] }
  | { readonly kind: 'failed'; readonly error: AppError; readonly calls: readonly ModelCallRecord[] }

/** A task that has run, as prompts show it. `output` is fenced wherever it enters a prompt. */
export interface TaskReport {
  readonly index: number
  readonly type: TaskType
  readonly detail: string
  readonly skill: string | null
  readonly tool?: string | null
  readonly args: JsonObject | null
  readonly expect: string | null
  readonly status: TaskStatus
  readonly exitCode: number | null
  readonly output: string | null
  /** The file of the workspace in which the whole output stands, when it is too long to be shown. */
  readonly outputFile: string | null
  readonly stderr: string | null
  /** The same for standard error. */
  readonly stderrFile: string | null
  /** It printed more than is kept of one task. */
  readonly truncated: boolean
}

/** A file that a user has sent; by its name it lies in uploads/. */
export interface ReceivedFile {
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly userName: string
  /** It came with what is to be served. */
  readonly attached: boolean
  /** Whether the commands of this turn have it in their workspace. */
  readonly isThere: boolean
}

export interface PlannerContext {
  readonly callerName: string
  readonly callerRole: Role
  /** In a GROUP people also talk with each other. */
  readonly conversationType: ConversationType
  /** False: the message is not directed at the agent, which may stay silent. */
  readonly addressed: boolean
  readonly message: string
  /** What the caller said since, to be served together with it; oldest first. */
  readonly additions: readonly {
    readonly content: string
    /** It came while a plan of this turn ran. */
    readonly whilePlanRan: boolean
  }[]
  /** What trusted people said since the summary, and what was answered. */
  readonly dialogue: Dialogue
  /** What was said before the dialogue, in short; '' when there is nothing yet. */
  readonly summary: string
  /** What the introspector noted for this session at its last checkpoint; '' when there is nothing. */
  readonly workingMemory: string
  readonly facts: readonly KnownFact[]
  /** Open questions, of this session and of all; the planner raises them and says which ones the message answers. */
  readonly questions: readonly OpenQuestion[]
  /** What the questions are about, for a first plan: it may say what an answer makes of these. */
  readonly questionFacts: readonly QuestionFact[]
  /** Those that the caller may use. */
  readonly skills: readonly SkillSummary[]
  /** The same of tools. */
  readonly tools: readonly OfferedTool[]
  /** What strangers wrote in the session, in other words, oldest first. */
  readonly paraphrased: readonly { readonly sender: string | null; readonly at: string; readonly text: string }[]
  /** Names of the secrets that the session's process holds; never their values. */
  readonly secretNames: readonly string[]
  /** What people have put into the session: those of the message first, then the newest. */
  readonly files: readonly ReceivedFile[]
  readonly maxTasks: number
  readonly replan: ReplanContext | null
  /** What plugins add: data, or what the operator says. */
  readonly pluginSections: readonly PluginSectionText[]
}

/** Of a plugin; its title is the plugin's, too. */
export interface PluginSectionText {
  readonly title: string
  readonly text: string
  /** SERVER: the operator's own words. */
  readonly trust?: 'SERVER' | 'DATA'
}

export interface KnownFact {
  readonly id: string
  readonly content: string
}

export interface OpenQuestion {
  readonly id: string
  readonly content: string
}

/** A fact that an open question is about. */
export interface QuestionFact extends KnownFact {
  readonly questionId: string
}

export interface ReplanContext {
  readonly completed: readonly TaskReport[]
  readonly remaining: readonly { readonly type: TaskType; readonly detail: string }[]
  /** Null: the caller said more while the plan ran. */
  readonly failed: TaskReport | null
  readonly reason: string
  /** Earlier attempts of this turn, oldest first: what was tried and why it did not do. */
  readonly history: readonly { readonly goal: string; readonly reason: string }[]
}

/** What a plan and a conversation both know. */
export type KnownContext = Omit<PlannerContext, 'questionFacts'>

/** What the assistant of a conversation knows besides what is said in it: what a planner would, without a plan. */
export interface AssistantContext extends Omit<KnownContext, 'skills' | 'maxTasks' | 'replan' | 'tools'> {
  /** What it has said and called in this turn so far, oldest first. */
  readonly rounds: readonly AssistantRound[]
  /** What the provider of a model keeps of all this; null: nothing. */
  readonly kept: KeptConversation | null
  /** Drawn once a turn, so that what was said before in it stays the same, byte by byte. */
  readonly fenceToken: string
  /** What it may call. */
  readonly tools: readonly OfferedTool[]
}

/** Up to where the model of this provider knows the conversation already. */
export interface KeptConversation {
  readonly provider: string
  readonly model: string
  readonly responseId: string
  /** The round of this turn that it answered last, from 1; null: none yet. */
  readonly round: number | null
  /** How many of the newest exchanges of the dialogue it does not know; counts where `round` is null. */
  readonly exchangesSince: number
}

/** One answer with calls, and what came of it. */
export interface AssistantRound {
  readonly text: string
  readonly calls: readonly {
    readonly callId: string
    readonly name: string
    /** The arguments as JSON. */
    readonly written: string
    /** Why a plugin does not let its result count; null: it counts. */
    readonly rejected: string | null
    readonly task: TaskReport
  }[]
  /** What the caller has said since, oldest first. */
  readonly additions: readonly string[]
}

/** Gets an answer piece by piece, as it is written. */
export interface AnswerReader {
  readonly onText: (delta: string) => void
  /** What the model shows of its reasoning. */
  readonly onThinking: (delta: string) => void
}

/** A plan that was refused, and what was wrong with it: the planner is asked to mend it. */
export interface PlanFeedback {
  readonly plan: ProposedPlan
  readonly problems: readonly string[]
}

export interface ReviewerContext {
  readonly goal: string
  readonly message: string
  readonly task: TaskReport
  /** Earlier attempts of this turn, oldest first. */
  readonly history: ReplanContext['history']
}

export interface Review {
  readonly verdict: ReviewVerdict
  readonly reason: string | null
  /** A candidate fact that the result shows, in one self-contained sentence. */
  readonly learn: string | null
}

export interface MessengerContext {
  readonly goal: string
  readonly detail: string
  /** As the planner was shown it. */
  readonly dialogue: Dialogue
  /** Who is answered, and what they said, oldest first. */
  readonly caller: string
  readonly messages: readonly string[]
  /** Outputs of the plan's earlier tasks, which `detail` may refer to; fenced. */
  readonly outputs: readonly TaskReport[]
  readonly pluginSections: readonly PluginSectionText[]
  /** No message was directed at the agent: it may stay silent. */
  readonly mayBeSilent: boolean
  readonly summary: string
  readonly facts: readonly KnownFact[]
}

/** A text as people are to read it. */
export interface WrittenMessage {
  readonly text: string
  /** Ids of the known facts that it says it relies on, each once. */
  readonly factsUsed: readonly string[]
}

export interface CuratorContext {
  readonly learnings: readonly {
    readonly id: string
    readonly content: string
    /** Of `facts`, those that it is alike to, best first. */
    readonly similarFactIds?: readonly string[]
    /** Of `facts`, those that are most about the same, nearest first. */
    readonly nearFactIds?: readonly string[]
  }[]
  readonly facts: readonly KnownFact[]
  readonly questions: readonly OpenQuestion[]
  readonly summary: string
}

export type Evaluation = { readonly learningId: string; readonly reason: string } & (
  | { readonly verdict: 'PROMOTE'; readonly fact: string }
  | { readonly verdict: 'ASK'; readonly question: string }
  | { readonly verdict: 'DISCARD' }
  /** What was answered about it cannot be used; `reason` says why. */
  | { readonly verdict: 'UNUSABLE' }
  /** `fact` holds now, in place of the known one. */
  | { readonly verdict: 'REPLACE'; readonly fact: string; readonly factId: string }
  /** It and the known fact cannot both hold; `question` asks which does. */
  | { readonly verdict: 'CONTRADICTS'; readonly question: string; readonly factId: string }
)

export interface SummarizerContext {
  /** The summary so far; '' when there is none. */
  readonly summary: string
  /** What is to be added, oldest first: messages with what the agent answered. */
  readonly messages: readonly {
    readonly user: string | null
    readonly role: string
    readonly content: string
    /** When it was said, in a format that Date reads. */
    readonly at: string
    readonly outputs: readonly string[]
  }[]
}

/** What could become of facts that are alike; each of them is named by exactly one operation. */
export type Consolidation =
  | { readonly operation: 'KEEP'; readonly factId: string }
  | { readonly operation: 'EDIT'; readonly factId: string; readonly content: string }
  | { readonly operation: 'MERGE'; readonly factIds: readonly string[]; readonly content: string }
  | { readonly operation: 'DROP'; readonly factId: string; readonly reason: string }

export interface ParaphraserContext {
  readonly messages: readonly { readonly id: string; readonly sender: string | null; readonly content: string }[]
}

export interface IntrospectorContext {
  readonly summary: string
  /** What it noted at the last checkpoint; '' for nothing. */
  readonly workingMemory: string
  readonly description: string | null
  /** False: a client wrote the description. */
  readonly mayDescribe: boolean
  /** What happened since the last checkpoint, oldest first: messages with what was done for them and answered. */
  readonly messages: readonly {
    readonly user: string | null
    readonly role: string
    readonly content: string
    readonly at: string
    /** Commands and calls of skills; `reason`: of their review. */
    readonly work: readonly {
      readonly type: string
      readonly detail: string
      readonly status: string
      readonly reason: string | null
    }[]
    readonly outputs: readonly string[]
  }[]
  /** Older messages since then did not fit. */
  readonly leftOut: boolean
}

export interface Introspection {
  /** The new notes, which replace the ones before. */
  readonly workingMemory: string
  /** Null: as it is. */
  readonly description: string | null
  /** Candidate facts, each one self-contained sentence. */
  readonly learnings: readonly string[]
}

export interface Agents {
  /** The "provider:model" that plays this role, for events and `Server.models`. */
  modelOf(role: AgentRole): { readonly provider: string; readonly model: string }
  plan(context: PlannerContext, feedback: readonly PlanFeedback[], signal: AbortSignal): Promise<Answer<ProposedPlan>>
  review(context: ReviewerContext, signal: AbortSignal): Promise<Answer<Review>>
  /** One evaluation for each learning of the context, in their order. */
  curate(context: CuratorContext, signal: AbortSignal): Promise<Answer<readonly Evaluation[]>>
  /** The new summary. */
  summarize(context: SummarizerContext, signal: AbortSignal): Promise<Answer<string>>
  consolidate(facts: readonly KnownFact[], signal: AbortSignal): Promise<Answer<readonly Consolidation[]>>
  /** A paraphrase for each message of the context. */
  paraphrase(
    context: ParaphraserContext,
    signal: AbortSignal,
  ): Promise<Answer<readonly { readonly id: string; readonly text: string }[]>>
  introspect(context: IntrospectorContext, signal: AbortSignal): Promise<Answer<Introspection>>
  /**
   * One answer of a conversation: a text, calls of tools, or both. `startedAt`: of the turn; the prompt says it is
   * then.
   */
  converse(
    asked: { readonly context: AssistantContext; readonly startedAt: Date },
    reader: AnswerReader,
    signal: AbortSignal,
  ): Promise<Answer<ConversationAnswer & WrittenMessage>>
  write(
    context: MessengerContext,
    onText: (delta: string) => void,
    signal: AbortSignal,
  ): Promise<Answer<WrittenMessage>>
}
