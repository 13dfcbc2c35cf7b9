/**
 * Which fields of what an agent is given, and of what it answers, hold free text: all that people, programs and models
 * wrote. A context or an answer that gets a field does not compile until the field is declared here.
 */
import type { Dialogue } from '../core/dialogue.ts'
import type { FreeTexts } from '../secrets/free-texts.ts'
import { PLAN_TEXTS } from '../secrets/turn-texts.ts'
import type {
  AssistantContext,
  Consolidation,
  CuratorContext,
  Evaluation,
  Introspection,
  IntrospectorContext,
  KnownFact,
  MessengerContext,
  ParaphraserContext,
  PlanFeedback,
  PlannerContext,
  Review,
  ReviewerContext,
  SummarizerContext,
  TaskReport,
  WrittenMessage,
} from './agent.ts'

/** Of what a role is asked, and of what it answers. */
interface RoleTexts<Context, Output> {
  readonly asked: FreeTexts<Context>
  readonly answered: FreeTexts<Output>
}

const TASK: FreeTexts<TaskReport> = {
  detail: 'text',
  skill: 'text',
  tool: 'text',
  args: 'json',
  expect: 'text',
  output: 'text',
  outputFile: 'text',
  stderr: 'text',
  stderrFile: 'text',
}
const DIALOGUE: FreeTexts<Dialogue> = {
  exchanges: {
    turnId: 'kept',
    messages: { user: 'text', content: 'text', at: 'kept' },
    answers: { text: 'text', at: 'kept' },
  },
}
const NOTED = { id: 'kept', content: 'text' } as const
const HISTORY = { goal: 'text', reason: 'text' } as const

/** What planner and assistant both know. */
const KNOWN = {
  callerName: 'text',
  message: 'text',
  additions: { content: 'text' },
  dialogue: DIALOGUE,
  summary: 'text',
  workingMemory: 'text',
  facts: NOTED,
  questions: NOTED,
  paraphrased: { sender: 'text', at: 'kept', text: 'text' },
  files: { name: 'text', userName: 'text' },
  secretNames: 'text',
  pluginSections: { title: 'text', text: 'text' },
} as const

/** Its answer comes as it is, like the planner's. */
export const ASSISTANT: FreeTexts<AssistantContext> = {
  ...KNOWN,
  rounds: {
    text: 'text',
    calls: { callId: 'kept', name: 'text', written: 'text', rejected: 'text', task: TASK },
    additions: 'text',
  },
  kept: { provider: 'kept', model: 'kept', responseId: 'kept' },
  fenceToken: 'kept',
  tools: { name: 'kept', description: 'repeated', parameters: 'json' },
}

/** The planner's answer is none of these: it comes as it is (redacted-agents.ts). */
export const PLANNER: FreeTexts<PlannerContext> = {
  ...KNOWN,
  questionFacts: { ...NOTED, questionId: 'kept' },
  skills: {
    name: 'text',
    version: 'text',
    summary: 'text',
    args: { name: 'text', default: 'text', description: 'text' },
    secrets: 'text',
  },
  tools: { name: 'kept', description: 'repeated', parameters: 'json' },
  replan: {
    completed: TASK,
    remaining: { detail: 'text' },
    failed: TASK,
    reason: 'text',
    history: HISTORY,
  },
}
export const PLAN_FEEDBACK: FreeTexts<PlanFeedback> = { plan: PLAN_TEXTS, problems: 'text' }

export const REVIEWER: RoleTexts<ReviewerContext, Review> = {
  asked: { goal: 'text', message: 'text', task: TASK, history: HISTORY },
  answered: { reason: 'text', learn: 'text' },
}

export const MESSENGER: FreeTexts<MessengerContext> = {
  goal: 'text',
  detail: 'text',
  dialogue: DIALOGUE,
  caller: 'text',
  messages: 'text',
  outputs: TASK,
  summary: 'text',
  facts: NOTED,
  pluginSections: { title: 'text', text: 'text' },
}

export const WRITTEN: FreeTexts<WrittenMessage> = { text: 'text', factsUsed: 'kept' }

export const CURATOR: RoleTexts<CuratorContext, Evaluation> = {
  asked: {
    learnings: { ...NOTED, similarFactIds: 'kept', nearFactIds: 'kept' },
    facts: NOTED,
    questions: NOTED,
    summary: 'text',
  },
  answered: { learningId: 'kept', reason: 'text', fact: 'text', factId: 'kept', question: 'text' },
}

export const SUMMARIZER: FreeTexts<SummarizerContext> = {
  summary: 'text',
  messages: { user: 'text', role: 'kept', content: 'text', at: 'kept', outputs: 'text' },
}

export const CONSOLIDATOR: RoleTexts<KnownFact, Consolidation> = {
  asked: NOTED,
  answered: { factId: 'kept', factIds: 'kept', content: 'text', reason: 'text' },
}

export const PARAPHRASER: RoleTexts<ParaphraserContext, { readonly id: string; readonly text: string }> = {
  asked: { messages: { id: 'kept', sender: 'text', content: 'text' } },
  answered: { id: 'kept', text: 'text' },
}

export const INTROSPECTOR: RoleTexts<IntrospectorContext, Introspection> = {
  asked: {
    summary: 'text',
    workingMemory: 'text',
    description: 'text',
    messages: {
      user: 'text',
      role: 'kept',
      content: 'text',
      at: 'kept',
      work: { type: 'kept', detail: 'text', status: 'kept', reason: 'text' },
      outputs: 'text',
    },
  },
  answered: { workingMemory: 'text', description: 'text', learnings: 'text' },
}
