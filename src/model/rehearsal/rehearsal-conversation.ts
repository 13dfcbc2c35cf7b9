/**
 * How the rehearsal model converses: the lines of the newest message that name work become calls of tools, those that
 * stand directly below one another at once, the others one after another; when all have been made it answers with what
 * came of them. What must hold: an answer without calls comes, whatever the tools say.
 */
import { SILENCE_MARKER } from '../../core/text/silence-filter.ts'
import { findItems, isPrompt, readPrompt, type PromptItem } from './rehearsal-prompt.ts'
import { readScript } from './rehearsal-script.ts'
import { markFacts, MAX_SHOWN_CHARS, quote, shorten } from './rehearsal-words.ts'

/** A message of Chat Completions. */
export interface HeardMessage {
  readonly role: string
  readonly content: string
  /** How many tools an assistant's message calls. */
  readonly calls: number
}

interface Call {
  readonly name: string
  readonly args: string
}

/** What it says next. */
export interface RehearsedAnswer {
  readonly thinking: string
  readonly text: string
  readonly calls: readonly Call[]
  readonly waitMs: number
}

const NOTICE =
  'Rehearsal: no language model is configured, so your message was not understood. ' +
  'This text comes from the built-in stand-in; an administrator can connect one for real answers.'

/** The tool that runs a command line. */
const EXEC = 'exec'

/** `messages`: all that was said, oldest first. */
export function rehearseConversation(messages: readonly HeardMessage[]): RehearsedAnswer {
  const newest = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(newest + 1)
  const asked = messages[newest]?.content ?? ''
  const lines = saidIn(asked).split(/\r?\n/).map(readLine)
  const made = since.reduce((sum, { calls }) => sum + calls, 0)
  const isFirst = since.every(({ role }) => role !== 'assistant')
  const thinking = isFirst ? lines.flatMap(({ thought }) => thought ?? []).join('\n') : ''
  const script = readScript(lines.flatMap(({ other }) => other ?? []).join('\n'))
  const waitMs = isFirst ? script.waitMs : 0
  const calls = groupsOf(lines).find((group) => (group.at(-1)?.number ?? 0) >= made) ?? []
  if (calls.length > 0) return { thinking, text: '', calls: calls.map(({ call }) => call), waitMs }
  if (script.silent) return { thinking, text: SILENCE_MARKER, calls: [], waitMs }
  const said = script.rest === '' ? [] : [`You wrote:\n\n${quote(shorten(script.rest, MAX_SHOWN_CHARS))}`]
  const results = since.flatMap(({ role, content }) =>
    role === 'tool' ? [shorten(withoutMarkers(content), MAX_SHOWN_CHARS)] : [],
  )
  const known = knownFacts(messages)
  const facts = script.asksForFacts ? [listFacts(known)] : []
  const used = markFacts(script.uses, known)
  return { thinking, text: [NOTICE, ...said, ...facts, ...results, ...used].join('\n\n'), calls: [], waitMs }
}

/** What the server fenced as the words of the caller; a message that it did not fence is all of them. */
function saidIn(content: string): string {
  const blocks = [...content.matchAll(/^<<<MESSAGE_([0-9a-f]+)>>>\n([^]*?)\n<<<END_MESSAGE_\1>>>$/gm)]
  return blocks.length === 0 ? content : blocks.map(([, , text = '']) => text).join('\n')
}

function withoutMarkers(content: string): string {
  return content.replaceAll(/^<<<(?:END_)?DATA_[A-Z]+_[0-9a-f]+>>>\n?/gm, '').trimEnd()
}

function knownFacts(messages: readonly HeardMessage[]): readonly PromptItem[] {
  const prompt = messages.findLast(({ content }) => isPrompt(content))?.content ?? ''
  return findItems(readPrompt(prompt), 'DATA_FACTS')
}

function listFacts(known: readonly PromptItem[]): string {
  return known.length === 0
    ? 'No facts are known.'
    : ['Known facts:', ...known.map(({ text }) => `- ${text}`)].join('\n')
}

interface Line {
  readonly call?: Call
  readonly thought?: string
  /** For `readScript`. */
  readonly other?: string
}

function readLine(line: string): Line {
  const [, key, value = ''] = /^\s*(tool|think):\s*(.*?)\s*$/.exec(line) ?? []
  if (key === 'think' && value !== '') return { thought: value }
  if (key === 'tool' && value !== '') return { call: nameAndArguments(value) }
  const { tasks, learn, secrets } = readScript(line)
  const [task] = tasks
  if (learn[0] !== undefined) return { call: { name: 'memory__remember', args: JSON.stringify({ text: learn[0] }) } }
  if (secrets[0] !== undefined) return { call: { name: 'session__keep_secret', args: JSON.stringify(secrets[0]) } }
  if (task === undefined) return { other: line }
  if (task.kind === 'run') return { call: { name: EXEC, args: JSON.stringify({ command: task.command }) } }
  return { call: { name: `skills__${task.name}`, args: task.args } }
}

function nameAndArguments(value: string): Call {
  const [name = ''] = value.split(/\s/)
  const args = value.slice(name.length).trim()
  return { name, args: args === '' ? '{}' : args }
}

/** Lines directly below one another are a group; each call with its number. */
function groupsOf(lines: readonly Line[]): { readonly number: number; readonly call: Call }[][] {
  const groups: { number: number; call: Call }[][] = []
  let number = 0
  let goesOn = false
  for (const { call } of lines) {
    if (call !== undefined) {
      if (!goesOn) groups.push([])
      groups.at(-1)?.push({ number, call })
      number += 1
    }
    goesOn = call !== undefined
  }
  return groups
}
