/**
 * The sections on what is known from before, as several agents are shown them. All of it came from conversations and
 * outputs in the end, however often it was checked on the way: so it is data, in blocks that give no instructions.
 */
import type { KnownFact, OpenQuestion, PluginSectionText, ReplanContext } from '../agent.ts'
import type { Fence } from './fence.ts'
import { labelItems, type LabelPrefix } from './labels.ts'
import { oneLine } from './one-line.ts'
import { preview } from './preview.ts'

const MAX_SUMMARY_CHARS = 16_000
/** Of a fact, a question or a learning; longer ones only people write. */
export const MAX_ITEM_CHARS = 2_000

export function describeSummary(summary: string, fence: Fence): string[] {
  if (summary === '') return []
  const text = preview(summary, { maxChars: MAX_SUMMARY_CHARS })
  return [`# The conversation so far, in short\n\n${fence.wrap('DATA_SUMMARY', text)}`]
}

export function describeWorkingMemory(workingMemory: string, fence: Fence): string[] {
  if (workingMemory === '') return []
  const text = preview(workingMemory, { maxChars: MAX_SUMMARY_CHARS })
  return [`# Notes on this conversation\n\n${fence.wrap('DATA_WORKING_MEMORY', text)}`]
}

export function describeFacts(facts: readonly KnownFact[], fence: Fence): string[] {
  if (facts.length === 0) return []
  return [`# What is known\n\n${fence.wrap('DATA_FACTS', listItems('F', facts))}`]
}

export function describeQuestions(questions: readonly OpenQuestion[], fence: Fence): string[] {
  if (questions.length === 0) return []
  return [`# Open questions\n\n${fence.wrap('DATA_QUESTIONS', listItems('Q', questions))}`]
}

/** What plugins of this server add. They bound it (src/plugins/hooks/hook-table.ts). */
export function describePluginSections(sections: readonly PluginSectionText[], fence: Fence): string[] {
  const [words, data] = [sections.filter(isOperators), sections.filter((section) => !isOperators(section))]
  const blocks = (label: 'OPERATOR' | 'DATA_PLUGIN', of: typeof sections): string =>
    of.map(({ title, text }) => fence.wrap(label, `${oneLine(title)}\n\n${text}`)).join('\n')
  return [
    ...(words.length === 0 ? [] : [`# What the operator of this server says\n\n${blocks('OPERATOR', words)}`]),
    ...(data.length === 0 ? [] : [`# What plugins of this server add\n\n${blocks('DATA_PLUGIN', data)}`]),
  ]
}

function isOperators({ trust }: PluginSectionText): boolean {
  return trust === 'SERVER'
}

/** What was tried before in the turn. */
export function describeAttempts(history: ReplanContext['history'], fence: Fence): string {
  const attempts = history.map(({ goal, reason }, index) => {
    const because = ['It was given up because:', fence.wrap('REASON', reason)]
    return [`Attempt ${index + 1}:`, fence.wrap('GOAL', goal), ...because].join('\n')
  })
  return attempts.join('\n\n')
}

/** Each with its label, on a line of its own: whatever a text holds, no line of it can pass for another item. */
export function listItems(prefix: LabelPrefix, items: readonly { readonly content: string }[]): string {
  const lines = [...labelItems(prefix, items)].map(([label, { content }]) => {
    return `${label}: ${oneLine(preview(content, { maxChars: MAX_ITEM_CHARS }))}`
  })
  return lines.join('\n')
}
