/**
 * The crash test's result for people: a table of what was done and which promises were kept, and what speaks against
 * them.
 */
import type { StormReport } from './storm.ts'

/** A killed or hanging server's turns go on within this time. */
const MAX_TAKEOVER_MS = 10_000

/** Of everything that broke a promise, as many as fit on a screen. */
export function findingsOf({ verdict, figures }: StormReport): string[] {
  const delays = [...figures.takeoversMs, ...figures.hangTakeoversMs]
  const late = delays.filter((ms) => ms > MAX_TAKEOVER_MS).map((ms) => `a turn lay still for ${seconds(ms)}`)
  return Object.entries({ ...verdict, late }).flatMap(([promise, findings]) => {
    const shown = findings.slice(0, MAX_SHOWN).map((finding) => `${promise}: ${finding}`)
    const hidden = findings.length - shown.length
    return hidden === 0 ? shown : [...shown, `${promise}: … and ${hidden} more`]
  })
}

const MAX_SHOWN = 10

export function describeReport({ verdict, figures }: StormReport): string {
  return table([
    ['time', `${Math.round(figures.durationMs / 1000)} s`, `${figures.serversStarted} servers started`],
    [
      'messages accepted',
      figures.messagesAccepted,
      `${figures.sendAttempts} requests, refused within ${seconds(figures.longestRefusalMs)} · lost: ${verdict.lost.length}`,
    ],
    [
      'commands that ran',
      figures.commandsMarked,
      `${figures.commandsInterrupted} interrupted · run twice: ${verdict.twice.length}, beside another: ${verdict.overlaps.length}`,
    ],
    [
      'turns',
      figures.messagesAccepted,
      `not ended well: ${verdict.unended.length} · out of order: ${verdict.disorder.length}`,
    ],
    [
      'subscribers',
      figures.subscribers,
      `${figures.connections} connections · gaps and repeats: ${verdict.gaps.length}`,
    ],
    [
      'texts to webhooks',
      figures.deliveries,
      `${figures.posts} posts, ${figures.deliveriesDead} given up · lost, altered or out of order: ${verdict.deliveries.length}`,
    ],
    [
      'calls of a plugin',
      figures.toolCalls,
      `${figures.switches} times on or off · twice, lost or not running in the end: ${verdict.plugins.length}`,
    ],
    ['delegations', figures.delegations, `not ended, or given twice: ${verdict.delegations.length}`],
    ['learnings', figures.learnings, `${figures.facts} facts · lost or curated twice: ${verdict.knowledge.length}`],
    [
      'approvals',
      figures.approvals,
      `${figures.approvalsExpired} expired · decided twice, wrongly or in vain: ${verdict.approvals.length}`,
    ],
    [
      'runs of schedules',
      figures.runs,
      `${figures.runsSkipped} skipped · missed, twice or at the same time: ${verdict.schedules.length}`,
    ],
    ['published files', figures.files, `lost, twice or without bytes: ${verdict.files.length}`],
    ['audit', figures.auditEntries, `missing, surplus or not in the chain: ${verdict.audit.length}`],
    ['events in the logs', figures.events, `complaints: ${verdict.complaints.length}`],
    ['taken over: killed', figures.takeoversMs.length, describeDelays(figures.takeoversMs)],
    ['taken over: hung', figures.hangTakeoversMs.length, describeDelays(figures.hangTakeoversMs)],
  ])
}

function describeDelays(delaysMs: readonly number[]): string {
  if (delaysMs.length === 0) return ''
  const [median, most, longest] = [0.5, 0.95, 1].map((share) => seconds(at(delaysMs, share)))
  return `median ${median}, 95 % within ${most}, longest ${longest}`
}

function table(rows: readonly (readonly [string, string | number, string])[]): string {
  return rows.map(([name, value, rest]) => `${name.padEnd(20)}${String(value).padStart(8)}   ${rest}`).join('\n')
}

/** The value below which this share of the (sorted) values lies. */
function at(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
