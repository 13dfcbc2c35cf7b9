/** `factotum learnings review`: one learning after the other, and a person says what becomes of it. */
import { log } from '@clack/prompts'
import type { FactotumClient } from '../../packages/client/src/connect.ts'
import {
  TerminalDiscardDocument,
  TerminalListLearningsDocument,
  TerminalPromoteDocument,
  type TerminalListLearningsQuery,
} from '../generated/remote/graphql.ts'
import { harmless } from '../core/text/harmless.ts'
import { EXIT, refusalOf, type Answered, type ExitCode } from './outcome.ts'
import { askText, choose } from './questions.ts'
import { readPages } from './read-pages.ts'
import { print, printError, type Terminal } from './terminal.ts'

type Learning = NonNullable<TerminalListLearningsQuery['page']>['edges'][number]['node']

const VERDICTS = [
  { value: 'promote', label: 'A fact', hint: 'every session may rely on it' },
  { value: 'edit', label: 'A fact, in other words' },
  { value: 'discard', label: 'Discard it' },
  { value: 'later', label: 'Later' },
  { value: 'end', label: 'End the review' },
] as const

/** Needs a person: refuses where none is. */
export async function reviewLearnings(client: FactotumClient, terminal: Terminal): Promise<ExitCode> {
  if (!terminal.isInteractive) {
    printError(terminal, 'factotum: "learnings review" asks a person; in a pipe, use "factotum learnings --json".')
    return EXIT.failed
  }
  const { items } = await readPages(
    async (page) =>
      (await client.run(TerminalListLearningsDocument, { ...page, filter: { status: ['PENDING'] } })).page,
  )
  let outcome: ExitCode = EXIT.done
  for (const [index, learning] of items.entries()) {
    log.message(describe(learning, `${index + 1} of ${items.length}`), { output: terminal.output })
    const verdict = await choose(terminal, 'What becomes of it?', VERDICTS)
    if (verdict === null || verdict === 'end') return outcome
    if (verdict === 'later') continue
    const result = await decide(client, learning, await chosen(terminal, learning, verdict))
    const refusal = result === null ? null : refusalOf(result)
    if (refusal !== null) outcome = EXIT.failed
    if (result === null || refusal !== null) printError(terminal, refusal ?? 'Left as it is.')
  }
  print(terminal, items.length === 0 ? 'There is nothing to decide about.' : 'That was all.')
  return outcome
}

type Verdict = { readonly discard: true } | { readonly content: string }

/** Null: they changed their mind. */
async function chosen(
  terminal: Terminal,
  { content }: Learning,
  verdict: 'promote' | 'edit' | 'discard',
): Promise<Verdict | null> {
  if (verdict === 'discard') return { discard: true }
  const said = verdict === 'edit' ? await askText(terminal, 'The fact:', content) : content
  return said === null ? null : { content: said }
}

async function decide(client: FactotumClient, learning: Learning, verdict: Verdict | null): Promise<Answered | null> {
  if (verdict === null) return null
  const { id } = learning
  if ('discard' in verdict) return (await client.run(TerminalDiscardDocument, { input: { id } })).discardLearning
  const replaced = replacedBy(learning)
  const place = replaced === null ? {} : { replacesFactId: replaced.id }
  const input = { id, content: verdict.content, ...place }
  return (await client.run(TerminalPromoteDocument, { input })).promoteLearning
}

/** The fact in use in whose place it waits to come; null: it comes beside all others. */
function replacedBy({ replacesFact }: Learning): Learning['replacesFact'] {
  return replacesFact?.invalidatedAt === null ? replacesFact : null
}

function describe(learning: Learning, place: string): string {
  const { content, session, user, reason, flags, similarTo } = learning
  const replaced = replacedBy(learning)
  const lines = [
    `${place}: ${content}`,
    `from ${user ?? 'a checkpoint'} in ${session.id}`,
    ...(reason === null ? [] : [`held: ${reason}`]),
    ...(flags.length === 0 ? [] : [`flags: ${flags.join(', ')}`]),
    ...(replaced === null ? [] : [`would replace: ${replaced.content}`]),
    ...similarTo.filter(({ id }) => id !== replaced?.id).map((fact) => `alike: ${fact.content}`),
  ]
  return harmless(lines.join('\n'))
}
