/** Makes the agents: each a question to its model. Called once, by app.ts. */
import type { LiveConfig } from '../config/config.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Agents } from './agent.ts'
import { ask, type AskOptions } from './ask.ts'
import { OPEN_GATE, type CallGate } from './call-gate.ts'
import { renderConsolidatorPrompt } from './consolidator/context.ts'
import { consolidationFormat } from './consolidator/output.ts'
import { renderCuratorPrompt } from './curator/context.ts'
import { curationFormat } from './curator/output.ts'
import { renderIntrospectorPrompt } from './introspector/context.ts'
import { INTROSPECTION_FORMAT } from './introspector/output.ts'
import { renderMessengerPrompt } from './messenger/context.ts'
import { MESSAGE_FORMAT } from './messenger/output.ts'
import { renderParaphraserPrompt } from './paraphraser/context.ts'
import { paraphraseFormat } from './paraphraser/output.ts'
import { renderPlannerPrompt } from './planner/context.ts'
import { planFormat } from './planner/output.ts'
import { renderReviewerPrompt } from './reviewer/context.ts'
import { REVIEW_FORMAT } from './reviewer/output.ts'
import { createRolePrompts } from './role-prompts.ts'
import { renderSummarizerPrompt } from './summarizer/context.ts'
import { SUMMARY_FORMAT } from './summarizer/output.ts'

export interface AgentsOptions {
  readonly config: LiveConfig
  readonly model: LanguageModel
  /** FACTOTUM_HOME: `roles/<role>.md` in it replaces a built-in prompt. */
  readonly home: string
  readonly clock: Clock
  readonly logger: Logger
}

/** Agents whose calls pass a gate of their own, for each turn; they share what they are made of. */
export function createGatedAgents({ home, ...options }: AgentsOptions): (gate: CallGate) => Agents {
  const shared = { ...options, prompts: createRolePrompts(home) }
  return (gate) => agentsOf({ ...shared, gate })
}

export function createAgents(options: AgentsOptions): Agents {
  return createGatedAgents(options)(OPEN_GATE)
}

function agentsOf(options: AskOptions): Agents {
  const { config } = options
  return {
    modelOf: (role) => config.current().models[role],
    plan: (context, feedback, signal) => {
      const environment = { execTimeoutMs: config.current().settings.execTimeoutMs }
      return ask(options, {
        role: 'planner',
        render: (fence) => renderPlannerPrompt({ context, feedback, environment }, fence),
        format: planFormat(context.questions),
        signal,
      })
    },
    review: (context, signal) =>
      ask(options, {
        role: 'reviewer',
        render: (fence) => renderReviewerPrompt(context, fence),
        format: REVIEW_FORMAT,
        signal,
      }),
    ...memoryAgentsOf(options),
    write: (context, onText, signal) =>
      ask(options, {
        role: 'messenger',
        render: (fence) => renderMessengerPrompt(context, fence),
        format: MESSAGE_FORMAT,
        onText,
        signal,
      }),
  }
}

/** Those that look back at what was said and learned. */
function memoryAgentsOf(
  options: AskOptions,
): Pick<Agents, 'curate' | 'summarize' | 'consolidate' | 'paraphrase' | 'introspect'> {
  return {
    curate: (context, signal) =>
      ask(options, {
        role: 'curator',
        render: (fence) => renderCuratorPrompt(context, fence),
        format: curationFormat(context.learnings),
        signal,
      }),
    summarize: (context, signal) =>
      ask(options, {
        role: 'summarizer',
        render: (fence) => renderSummarizerPrompt(context, fence),
        format: SUMMARY_FORMAT,
        signal,
      }),
    consolidate: (facts, signal) =>
      ask(options, {
        role: 'summarizer',
        prompt: 'consolidator',
        render: (fence) => renderConsolidatorPrompt(facts, fence),
        format: consolidationFormat(facts),
        signal,
      }),
    paraphrase: (context, signal) =>
      ask(options, {
        role: 'paraphraser',
        render: (fence) => renderParaphraserPrompt(context, fence),
        format: paraphraseFormat(context.messages),
        signal,
      }),
    introspect: (context, signal) =>
      ask(options, {
        role: 'introspector',
        render: (fence) => renderIntrospectorPrompt(context, fence),
        format: INTROSPECTION_FORMAT,
        signal,
      }),
  }
}
