/** `factotum approve`: what waits for an approval, and the decision about it. */
import { styleText } from 'node:util'
import type { FactotumClient } from '../../packages/client/src/connect.ts'
import type { ApproveAction } from '../config/command-line/remote-action.ts'
import { TerminalListApprovalsDocument, type TerminalListApprovalsQuery } from '../generated/remote/graphql.ts'
import { whatRuns } from '../core/plan/what-runs.ts'
import { harmless } from '../core/text/harmless.ts'
import { EXIT, refusalOf, type ExitCode } from './outcome.ts'
import { choose } from './questions.ts'
import { readPages } from './read-pages.ts'
import { print, printError, type Terminal } from './terminal.ts'

type Pending = TerminalListApprovalsQuery['page']['edges'][number]['node']

export async function approve(client: FactotumClient, terminal: Terminal, action: ApproveAction): Promise<ExitCode> {
  if (action.id !== null) return decide(client, terminal, { ...action, id: action.id })
  const { items, isCut } = await readPages(
    async (page) =>
      (await client.run(TerminalListApprovalsDocument, { ...page, filter: { status: ['PENDING'] } })).page,
  )
  if (items.length === 0) printError(terminal, 'Nothing waits for an approval.')
  let outcome: ExitCode = EXIT.done
  for (const pending of items) {
    print(terminal, describePending(pending))
    if (!terminal.isInteractive) continue
    const verdict = await choose(terminal, 'May it run?', VERDICTS)
    if (verdict === null) break
    if (verdict === 'later') continue
    const { note } = action
    const decision = { id: pending.id, approve: verdict !== 'deny', forSession: verdict === 'session', note }
    // One that is refused, such as that another decision came first, does not end the others.
    if ((await decide(client, terminal, decision)) !== EXIT.done) outcome = EXIT.failed
  }
  if (isCut) printError(terminal, `… and more; these are the first ${items.length}.`)
  return outcome
}

const VERDICTS = [
  { value: 'once', label: 'Yes' },
  { value: 'session', label: 'Yes, and what is alike in this session' },
  { value: 'deny', label: 'No' },
  { value: 'later', label: 'Later' },
] as const

export interface Decision {
  readonly id: string
  readonly approve: boolean
  readonly forSession: boolean
  readonly note: string | null
}

async function decide(client: FactotumClient, terminal: Terminal, decision: Decision): Promise<ExitCode> {
  const refusal = await sendDecision(client, decision)
  if (refusal === null) print(terminal, decision.approve ? 'Approved.' : 'Denied.')
  else printError(terminal, `factotum: ${refusal}`)
  return refusal === null ? EXIT.done : EXIT.failed
}

/** The sentence of a refusal, such as that another decision came first; null when it was taken. */
export async function sendDecision(
  client: FactotumClient,
  { id, approve, forSession, note }: Decision,
): Promise<string | null> {
  // A decision needs no session: an approval knows its own.
  const session = client.session('')
  const said = note === null ? {} : { note }
  if (!approve) return refusalOf(await session.deny(id, said))
  return refusalOf(await session.approve(id, { ...said, scope: forSession ? 'SESSION' : 'ONCE' }))
}

function describePending(pending: Pending): string {
  const { id, kind, approvalReason, expiresAt, session } = pending
  const what = [...(kind === 'PLAN' ? ['the whole plan:'] : []), ...whatRuns(pending)].join('\n')
  const until = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`
  const why = harmless(`${what}\nbecause: ${approvalReason}`).replaceAll('\n', '\n  ')
  return `${styleText('bold', id)} in ${session.id}, until ${until}\n  ${why}`
}
