/**
 * What the rehearsal model answers: a pure function of the prompt. `rehearsal-grammar.ts` is its grammar; every text it
 * writes says plainly that it is a rehearsal. Each role is a function beside this file.
 */
import { SILENCE_MARKER } from '../../core/text/silence-filter.ts'
import {
  rehearseConsolidation,
  rehearseCuration,
  rehearseIntrospection,
  rehearseParaphrase,
  rehearseSummary,
} from './rehearsal-memory.ts'
import { rehearsePlan, rehearseReview } from './rehearsal-plan.ts'
import { findBlock, findItems, findTasks, readPrompt, type PromptPart } from './rehearsal-prompt.ts'
import { readScript } from './rehearsal-script.ts'
import { describeResult, markFacts } from './rehearsal-words.ts'

interface RehearsalAnswer {
  readonly text: string
  readonly waitMs: number
}

const NOTICE =
  'Rehearsal: no language model is configured, so nobody has understood your message. ' +
  'This text comes from the built-in stand-in; an administrator can connect one for real answers.'

/** `schemaName`: the name of the JSON schema that was asked for; null: free text. */
export function answerRehearsal(prompt: string, schemaName: string | null): RehearsalAnswer {
  const parts = readPrompt(prompt)
  const json = (value: object, waitMs = 0): RehearsalAnswer => ({ text: JSON.stringify(value), waitMs })
  switch (schemaName) {
    case 'plan': {
      const { plan, waitMs } = rehearsePlan(parts)
      return json(plan, waitMs)
    }
    case 'review':
      return json(rehearseReview(parts))
    case 'curation':
      return json(rehearseCuration(parts))
    case 'consolidation':
      return json(rehearseConsolidation(parts))
    case 'introspection':
      return json(rehearseIntrospection(parts))
    case 'paraphrase':
      return json(rehearseParaphrase(parts))
    default: {
      const isSummary = parts.some(({ heading }) => heading === 'The summary so far')
      return { text: isSummary ? rehearseSummary(parts) : write(parts), waitMs: 0 }
    }
  }
}

function write(parts: readonly PromptPart[]): string {
  const detail = findBlock(parts, 'DETAIL', 'What to say') ?? ''
  if (detail === SILENCE_MARKER) return SILENCE_MARKER
  const ran = findTasks(parts, 'Tasks that ran before, in order').map(describeResult)
  const { uses } = readScript(
    parts.flatMap(({ heading, label, text }) => (heading === ASKED && label !== null ? [text] : [])).join('\n'),
  )
  return [NOTICE, detail, ...ran, ...markFacts(uses, findItems(parts, 'DATA_FACTS'))].join('\n\n')
}

/** The heading of src/agents/messenger under which it is shown the message. */
const ASKED = 'What is answered'
