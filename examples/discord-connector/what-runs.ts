/** What an approval lets run: of a whole plan, all that it does but its texts. */
import type { SessionState } from '@factotum/client'

type Approval = SessionState['approvals'][number]

/** Control characters but tabs and ends of lines, and what is not seen or sets a direction. */
const HIDDEN = /(?![\t\n])\p{Cc}|\p{Cf}/gu

/** A line for each command or call; what hides in it is seen. */
export function whatRuns({ kind, task }: Approval): string {
  const calls = kind === 'PLAN' ? task.plan.tasks.filter(({ type }) => type !== 'MSG') : [task]
  return calls.map(lineOf).join('\n').replaceAll(HIDDEN, '\uFFFD')
}

function lineOf({ detail, skill, tool, args }: Omit<Approval['task']['plan']['tasks'][number], 'type'>): string {
  const called = tool ?? skill
  return called === null ? detail : `${called} ${JSON.stringify(args)}`
}
