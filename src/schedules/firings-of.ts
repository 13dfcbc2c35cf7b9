/** The next times at which a cron expression fires. */
import { nextFiring } from './next-firing.ts'
import { DEFAULT_TIME_ZONE, timingIssues } from './schedule-timing.ts'

export interface Firings {
  readonly times: readonly Date[]
  /** Null: there is nothing wrong with it. */
  readonly problem: string | null
}

/** Fewer than `count` when there are no more. */
export function firingsOf(asked: {
  readonly cron: string
  readonly timeZone: string | null
  readonly now: Date
  readonly count: number
}): Firings {
  const { cron, now, count } = asked
  const timeZone = asked.timeZone ?? DEFAULT_TIME_ZONE
  const [issue] = timingIssues({ cron, runAt: null, timeZone }, now)
  if (issue !== undefined) {
    return { times: [], problem: sentenceOf(issue) }
  }
  const times: Date[] = []
  let next = nextFiring(cron, timeZone, now)
  while (next !== null && times.length < count) {
    times.push(next)
    next = nextFiring(cron, timeZone, next)
  }
  return { times, problem: null }
}

/** What is wrong with a field of the expression names that field itself. */
function sentenceOf({ path, message }: { readonly path: readonly unknown[]; readonly message: string }): string {
  if (message.startsWith('the ')) return `The ${message.slice('the '.length)}.`
  return `${path[0] === 'timeZone' ? 'The time zone' : 'The expression'} ${message}.`
}
