/** An entry of the audit in one line, and its further fields by name. */
import type { AuditRowFragment } from '../../generated/graphql.ts'
import { moneyText } from '../../ui/display/money-text.ts'
import { durationText } from '../../ui/display/time-text.ts'

const TASKS = { EXEC: 'command', MSG: 'text', SKILL: 'skill', TOOL: 'tool' } as const

export function summaryOf(entry: AuditRowFragment): string {
  switch (entry.__typename) {
    case 'ModelCallAudit':
      return `${entry.role} asked ${entry.provider}:${entry.model}${entry.outcome === 'OK' ? '' : `: ${entry.outcome}`}, ${entry.inputTokens.toLocaleString()} + ${entry.outputTokens.toLocaleString()} tokens, ${durationText(entry.callMs)}`
    case 'TaskAudit':
      return `${TASKS[entry.taskType]} ${entry.taskStatus.toLowerCase().replaceAll('_', ' ')}: ${entry.detail}`
    case 'ReviewAudit':
      return `${entry.verdict === 'OK' ? 'found the result good' : 'asked for another plan'}${entry.hasLearning ? ', and learned something' : ''}`
    case 'DeliveryAudit':
      return `delivery ${entry.deliveryStatus.toLowerCase()} to ${entry.url}`
    case 'KnowledgeAudit':
      return `${entry.knowledgeChange.toLowerCase()} ${entry.subjectId}${entry.reason === null ? '' : `: ${entry.reason}`}`
    case 'ApprovalAudit':
      return `approval ${entry.approvalStatus.toLowerCase()}${entry.note === null ? '' : `: ${entry.note}`}`
    case 'AccessDeniedAudit':
      return `was denied ${entry.field} (${entry.denialReason.toLowerCase().replaceAll('_', ' ')})${entry.count > 1 ? `, ${entry.count} times` : ''}`
    case 'ConfigAudit':
      return `${entry.configChange.toLowerCase().replaceAll('_', ' ')}: ${entry.configDetail ?? ''}`
    case 'SessionAudit':
      return `session ${entry.sessionChange.toLowerCase().replaceAll('_', ' ')}${entry.sessionDetail === null ? '' : `: ${entry.sessionDetail}`}`
  }
}

const SHOWN_ELSEWHERE = new Set(['__typename', 'id', 'at', 'kind', 'actor'])

/** What is not there is left out. */
export function fieldsOf(entry: AuditRowFragment): readonly (readonly [name: string, value: string])[] {
  return Object.entries(entry)
    .filter(([name]) => !SHOWN_ELSEWHERE.has(name))
    .flatMap(([name, value]) => (value === null ? [] : [[wordsOf(name), textOf(value)] as const]))
}

function textOf(value: string | number | boolean | object): string {
  if (typeof value === 'number') return value.toLocaleString()
  if (typeof value !== 'object') return String(value)
  return 'amount' in value ? costText(value as Money) : JSON.stringify(value)
}

/** "outputLength" → "output length" */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

interface Money {
  readonly amount: string
  readonly currency: string | null
}

function costText({ amount, currency }: Money): string {
  return moneyText(Number(amount), currency)
}
