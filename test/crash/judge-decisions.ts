/** Compares what was decided and what was due with what has become of it. One finding, one broken promise. */
import type { Deciders } from './deciders.ts'
import type { FinalApproval, FinalDecisions, FinalRun, FinalSchedule } from './final-decisions.ts'
import type { ScheduleLoad, StormSchedule } from './schedule-load.ts'

export interface DecisionsVerdict {
  readonly approvals: readonly string[]
  readonly schedules: readonly string[]
}

/** What was done about approvals and schedules, as far as those who did it know. */
export interface Done {
  readonly decisions: Pick<Deciders, 'accepted' | 'tried'>
  readonly firings: Pick<ScheduleLoad, 'schedules' | 'due' | 'triggersTried' | 'triggersAccepted'>
  /** Lines that the commands of schedules have left. */
  readonly marks: readonly string[]
}

export function judgeDecisions(done: Done, final: FinalDecisions): DecisionsVerdict {
  return {
    approvals: final.approvals.flatMap((approval) => findMisdecided(done.decisions, approval)),
    schedules: [
      ...done.firings.schedules.flatMap((schedule) => findMisfired(done, schedule, final)),
      ...final.runs.flatMap(findUnended),
    ],
  }
}

const HAS_RUN = new Set(['RUNNING', 'DONE', 'INTERRUPTED'])

/** Settled once, as it was said; what was not approved has not run. */
function findMisdecided(
  { accepted, tried }: Done['decisions'],
  { id, status, decided_by: decidedBy, task_status: task, events, audit }: FinalApproval,
): string[] {
  const findings: string[] = []
  if (status === 'PENDING') findings.push(`${id} still waits`)
  else if (events !== 2 || audit.join() !== `PENDING,${status}`)
    findings.push(`${id} is ${status}, of which ${events} events tell, and the audit ${audit.join()}`)
  const said = accepted.filter(({ approvalId }) => approvalId === id)
  if (said.length > 1) findings.push(`${id} was decided ${said.length} times: ${said.map((one) => one.status).join()}`)
  const [only] = said
  if (only !== undefined && (only.status !== status || only.user !== decidedBy))
    findings.push(`${id} is ${status} by ${decidedBy}, and ${only.user} was told that it is ${only.status}`)
  if ((status === 'APPROVED' || status === 'DENIED') && !tried.has(id))
    findings.push(`${id} is ${status}, about which nobody decided`)
  if (status !== 'APPROVED' && HAS_RUN.has(task)) findings.push(`${id} is ${status}, and its task is ${task}`)
  return findings
}

/** Each time a schedule was due it fired once, one run after another, and nothing was said besides. */
function findMisfired({ firings, marks }: Done, { id, name }: StormSchedule, final: FinalDecisions): string[] {
  const runs = final.runs.filter((run) => run.schedule_id === id)
  const schedule = final.schedules.find((one) => one.id === id)
  if (schedule === undefined) return [`${name} is not there`]
  return [
    ...findFirings(firings, name, runs),
    ...findTriggers(firings, { id, name }, runs),
    ...findOverlaps(name, runs),
    ...findSurplus(name, runs, schedule),
    ...findMarks(marks, name, schedule),
  ]
}

function findFirings({ due, schedules }: Done['firings'], name: string, runs: readonly FinalRun[]): string[] {
  const id = schedules.find((schedule) => schedule.name === name)?.id
  const byTime = Map.groupBy(
    runs.filter(({ manual }) => !manual),
    (run) => run.due_at.getTime(),
  )
  const missed = due.flatMap(({ scheduleId, at }) =>
    scheduleId === id && !byTime.has(at.getTime()) ? [`${name} was due at ${at.toISOString()}, and never fired`] : [],
  )
  const twice = [...byTime.values()].flatMap((same) =>
    same.length === 1 ? [] : [`${name} fired ${same.length} times for ${same[0]?.due_at.toISOString()}`],
  )
  return [...missed, ...twice]
}

function findTriggers(
  { triggersTried, triggersAccepted }: Done['firings'],
  { id, name }: Pick<StormSchedule, 'id' | 'name'>,
  runs: readonly FinalRun[],
): string[] {
  const manual = runs.filter((run) => run.manual).length
  const [least, most] = [triggersAccepted.get(id) ?? 0, triggersTried.get(id) ?? 0]
  return manual >= least && manual <= most
    ? []
    : [`${name} was set off ${least} to ${most} times, and ran ${manual} times`]
}

function findOverlaps(name: string, runs: readonly FinalRun[]): string[] {
  const real = runs.filter(({ status }) => status !== 'SKIPPED')
  return real.flatMap((run, index) => {
    const before = real[index - 1]?.finished_at
    return before == null || run.started_at >= before
      ? []
      : [`${name} began ${run.id} before the run before it had ended`]
  })
}

function findSurplus(name: string, runs: readonly FinalRun[], { messages }: FinalSchedule): string[] {
  const wanted = runs.flatMap(({ message_id: id }) => id ?? []).toSorted()
  const isSame = JSON.stringify(wanted) === JSON.stringify(messages.toSorted())
  return isSame ? [] : [`${name} has ${wanted.length} runs with a message, and ${messages.length} messages`]
}

/** A command that ended left its mark, one that was interrupted may have. */
function findMarks(marks: readonly string[], name: string, { commands }: FinalSchedule): string[] {
  const left = marks.filter((mark) => mark === name).length
  const must = commands.filter((status) => status === 'DONE' || status === 'FAILED').length
  const may = commands.filter((status) => status === 'INTERRUPTED').length
  return left >= must && left <= must + may ? [] : [`${name} left ${left} marks: ${commands.join()}`]
}

/** A run ends as its turn does. */
function findUnended(run: FinalRun): string[] {
  const { id, status, message_id: message, message_status: messageStatus, turn_status: turn } = run
  if (status === 'SKIPPED') return message === null ? [] : [`${id} was skipped, and has a message`]
  return status === turn && status === messageStatus && run.finished_at !== null
    ? []
    : [`${id} is ${status}, its message ${message} is ${messageStatus}, its turn ${turn}`]
}
