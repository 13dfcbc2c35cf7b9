/** Makes the agents: each a question to its model. Called once, by open-tools.ts. */
import type { LiveConfig, ModelChoice } from '../config/config.ts'
import { summarisedChars } from '../core/dialogue.ts'
import { FactMarks } from '../core/text/fact-marks.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { RuntimeHolder } from '../model/runtime/runtime-holder.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Agents } from './agent.ts'
import { ask, modelsOf, type AskOptions } from './ask.ts'
import { converse } from './assistant/converse.ts'
import type { CallGate } from './call-gate.ts'
import { renderConsolidatorPrompt } from './consolidator/context.ts'
import { consolidationFormat } from './consolidator/output.ts'
import { renderCuratorPrompt } from './curator/context.ts'
import { curationFormat } from './curator/output.ts'
import { renderIntrospectorPrompt } from './introspector/context.ts'
import { INTROSPECTION_FORMAT } from './introspector/output.ts'
import { renderMessengerPrompt } from './messenger/context.ts'
import { messageFormat } from './messenger/output.ts'
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

/** What the agents of one turn or checkpoint have of their own. */
export interface AgentsFor {
  /** What every call passes. */
  readonly gate: CallGate
  /** Of the session. */
  readonly timeZone: string
  /** In place of that of who plans and who answers; null: none. */
  readonly ownModel?: ModelChoice | null
  /** What these are told besides their prompts; null: nothing. */
  readonly instructions?: string | null
  /** Where the session's open runtime is; left out: none stays open. */
  readonly runtime?: RuntimeHolder
  /** Names the session and the turn in each line; left out: the server's. */
  readonly logger?: Logger
}

/** Agents for each turn; they share what they are made of. */
export function createAgentsFor({ home, ...options }: AgentsOptions): (own: AgentsFor) => Agents {
  const shared = { ...options, prompts: createRolePrompts(home) }
  return (own) => agentsOf({ ...shared, ...own })
}

function agentsOf(options: AskOptions): Agents {
  const { config } = options
  return {
    modelOf: (role) => modelsOf(options, role)[0],
    plan: (context, feedback, signal) => {
      const environment = { execTimeoutMs: config.current().settings.execTimeoutMs }
      return ask(options, {
        role: 'planner',
        render: (fence, moment) => renderPlannerPrompt({ context, feedback, environment }, fence, moment),
        format: planFormat(context),
        signal,
      })
    },
    review: (context, signal) =>
      ask(options, {
        role: 'reviewer',
        render: (fence, moment) => renderReviewerPrompt(context, fence, moment),
        format: REVIEW_FORMAT,
        signal,
      }),
    ...memoryAgentsOf(options),
    converse: (asked, reader, signal) => converse(options, { ...asked, reader, signal }),
    write: (context, onText, signal) => {
      const marks = new FactMarks()
      return ask(options, {
        role: 'messenger',
        render: (fence, moment) => renderMessengerPrompt(context, fence, moment),
        format: messageFormat(context.facts),
        onText: (delta) => onText(marks.push(delta)),
        signal,
      })
    },
  }
}

/** Those that work on what was said and learned before. */
function memoryAgentsOf(
  options: AskOptions,
): Pick<Agents, 'curate' | 'summarize' | 'consolidate' | 'paraphrase' | 'introspect'> {
  const maxAllChars = (): number => summarisedChars(options.config.current().settings.contextTokens)
  return {
    curate: (context, signal) =>
      ask(options, {
        role: 'curator',
        render: (fence, moment) => renderCuratorPrompt(context, fence, moment),
        format: curationFormat(context.learnings, context.facts),
        signal,
      }),
    summarize: (context, signal) =>
      ask(options, {
        role: 'summarizer',
        render: (fence, moment) => renderSummarizerPrompt({ context, maxAllChars: maxAllChars() }, fence, moment),
        format: SUMMARY_FORMAT,
        signal,
      }),
    consolidate: (facts, signal) =>
      ask(options, {
        role: 'summarizer',
        prompt: 'consolidator',
        render: (fence, moment) => renderConsolidatorPrompt(facts, fence, moment),
        format: consolidationFormat(facts),
        signal,
      }),
    paraphrase: (context, signal) =>
      ask(options, {
        role: 'paraphraser',
        render: (fence, moment) => renderParaphraserPrompt(context, fence, moment),
        format: paraphraseFormat(context.messages),
        signal,
      }),
    introspect: (context, signal) =>
      ask(options, {
        role: 'introspector',
        render: (fence, moment) => renderIntrospectorPrompt(context, fence, moment),
        format: INTROSPECTION_FORMAT,
        signal,
      }),
  }
}
