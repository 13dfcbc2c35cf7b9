/**
 * Curator, summarizer, paraphraser and introspector of the rehearsal model: what they answer follows from the texts
 * alone, so that the life of a fact can be rehearsed, and none of them pretends to understand anything.
 */
import { normalText } from '../../core/text/normal-text.ts'
import { findBlock, findItems, type PromptItem, type PromptPart } from './rehearsal-prompt.ts'
import { readScript } from './rehearsal-script.ts'
import { shorten } from './rehearsal-words.ts'

/** Questions are asked, what begins with "maybe" is discarded, everything else becomes a fact. */
export function rehearseCuration(parts: readonly PromptPart[]): object {
  return { evaluations: findItems(parts, 'DATA_LEARNINGS').map(evaluate) }
}

function evaluate({ label, text }: PromptItem): object {
  const learningId = label
  if (text.endsWith('?'))
    return { learningId, verdict: 'ask', fact: null, question: text, reason: 'Rehearsal: it ends with "?".' }
  if (/^maybe\b/i.test(text))
    return { learningId, verdict: 'discard', fact: null, question: null, reason: 'Rehearsal: it begins with "maybe".' }
  return {
    learningId,
    verdict: 'promote',
    fact: text,
    question: null,
    reason: 'Rehearsal: everything else is promoted.',
  }
}

const SUMMARY_NOTICE = 'Rehearsal summary: no language model is configured, so this only lists how messages began.'
const MAX_SUMMARY_LINES = 40
const MAX_LINE_CHARS = 80

/** The newest lines of the summary so far and of the messages. */
export function rehearseSummary(parts: readonly PromptPart[]): string {
  const before = parts.filter(({ label }) => label === 'DATA_SUMMARY').flatMap(({ text }) => text.split('\n'))
  const added = parts.flatMap(({ label, text }) => (label === 'DATA_MESSAGE' ? [`- ${firstLine(text)}`] : []))
  const lines = [...before.filter((line) => line.startsWith('- ')), ...added]
  return [SUMMARY_NOTICE, ...lines.slice(-MAX_SUMMARY_LINES)].join('\n')
}

function firstLine(text: string): string {
  return shorten(text.trim().split('\n')[0] ?? '', MAX_LINE_CHARS)
}

const NOTES_NOTICE =
  'Rehearsal notes: no language model is configured, so these are only the lines that begin with "note:".'
const MAX_NOTES = 20

/** The newest `note:` lines, those of before included, and a description where there is none. */
export function rehearseIntrospection(parts: readonly PromptPart[]): object {
  const before = (findBlock(parts, 'DATA_WORKING_MEMORY') ?? '').split('\n').filter((line) => line.startsWith('- '))
  const messages = parts.filter(({ label }) => label === 'DATA_MESSAGE').map(({ text }) => text)
  const notes = messages.flatMap((text) => readScript(text).notes)
  const lines = [...before, ...notes.map((note) => `- ${shorten(note, MAX_LINE_CHARS)}`)]
  const isNamed = findBlock(parts, 'DATA_DESCRIPTION') !== null
  return {
    workingMemory: lines.length === 0 ? '' : [NOTES_NOTICE, ...lines.slice(-MAX_NOTES)].join('\n'),
    description: isNamed ? null : `Rehearsal: ${firstLine(messages[0] ?? '')}`,
    learnings: [],
  }
}

/** Keeps every fact; those whose words are the same become one. */
export function rehearseConsolidation(parts: readonly PromptPart[]): object {
  const groups = Map.groupBy(findItems(parts, 'DATA_FACTS'), ({ text }) => normalText(text))
  const operations = [...groups.values()].map((items) => {
    const facts = items.map(({ label }) => label)
    return items.length === 1
      ? { operation: 'keep', facts, content: null, reason: null }
      : { operation: 'merge', facts, content: items[0]?.text ?? '', reason: null }
  })
  return { operations }
}

/** Says only who wrote, and how much. */
export function rehearseParaphrase(parts: readonly PromptPart[]): object {
  const labels = parts.flatMap(({ label, text }) => (label === null && /^M\d+:$/.test(text) ? [text.slice(0, -1)] : []))
  const messages = parts.filter(({ label }) => label === 'DATA_MESSAGE')
  const paraphrases = labels.map((message, index) => {
    const [first = '', ...lines] = (messages[index]?.text ?? '').split('\n')
    const count = lines.join(' ').match(/\S+/g)?.length ?? 0
    const text = `${first.replace(/ wrote:$/, '')} wrote something of ${count} words.`
    return { message, givesInstructions: false, text }
  })
  return { paraphrases }
}
