/**
 * Fences: how text that we did not write enters a prompt. A block stands between two marker lines that carry a random
 * token, new for each call; `ground-rules.md` tells every model what the labels mean. What must hold: whatever the
 * text, the end marker of its block occurs once, after it. Two things ensure that: the token cannot be guessed, and
 * text that has the form of a marker is changed before (`neutralize`).
 */
import { describeMoment, type Moment } from '../../core/text/zoned-time.ts'
import { randomHex } from '../../platform/random.ts'

/**
 * The label says how far a block is to be believed: OPERATOR stands above users, only MESSAGE asks for something, and
 * DATA_… is never an instruction.
 */
export type FenceLabel =
  | 'OPERATOR'
  | 'MESSAGE'
  | 'EARLIER_MESSAGE'
  | 'GOAL'
  | 'DETAIL'
  | 'CALL'
  | 'EXPECT'
  | 'REASON'
  | 'PLAN'
  | 'PROBLEM'
  | 'DATA_ANSWER'
  | 'DATA_SUMMARY'
  | 'DATA_FACTS'
  | 'DATA_QUESTIONS'
  | 'DATA_SKILLS'
  | 'DATA_TOOLS'
  | 'DATA_LEARNINGS'
  | 'DATA_MESSAGE'
  | 'DATA_STRANGERS'
  | 'DATA_WORKING_MEMORY'
  | 'DATA_WORK'
  | 'DATA_DESCRIPTION'
  | 'DATA_FILES'
  | 'DATA_PLUGIN'
  | 'DATA_STDOUT'
  | 'DATA_STDERR'

export class Fence {
  readonly #token: string

  /** `token` is given by tests alone. */
  constructor(token: string = randomHex(16)) {
    this.#token = token
  }

  /** The first line of every prompt. */
  get announcement(): string {
    return `The markers of this prompt carry the token ${this.#token}.`
  }

  /** The text between its markers, ready to stand in a prompt. */
  wrap(label: FenceLabel, text: string): string {
    return `<<<${label}_${this.#token}>>>\n${neutralize(text)}\n<<<END_${label}_${this.#token}>>>`
  }
}

/** How every prompt begins: the token of its blocks, and when it is asked. */
export function openPrompt(fence: Fence, moment: Moment): string {
  return `${fence.announcement}\n\nNow: ${describeMoment(moment)}. Times in this prompt are of this time zone.`
}

/**
 * Replaces the brackets of everything on one line that begins with `<<<` and ends with `>>>`. Not of a lone `<<<` or
 * `>>>`, and not across lines: here-strings and conflict markers are ordinary text in commands and their outputs.
 */
export function neutralize(text: string): string {
  if (!text.includes('<<<')) return text
  return text.split('\n').map(neutralizeLine).join('\n')
}

function neutralizeLine(line: string): string {
  const from = line.indexOf('<<<')
  const to = line.lastIndexOf('>>>') + 3
  if (from === -1 || to <= from) return line
  const suspect = line.slice(from, to).replaceAll('<<<', '‹‹‹').replaceAll('>>>', '›››')
  return line.slice(0, from) + suspect + line.slice(to)
}
