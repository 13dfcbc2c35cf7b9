/** Calls of models on the days before today, in the audit, so that there is something to plot. */
import { appendAudit } from '../../../src/store/audit-entries.ts'
import type { NewAuditEntry } from '../../../src/core/audit-entry.ts'
import type { AgentRole } from '../../../src/core/model-call.ts'
import type { Database } from '../../../src/store/database.ts'

const DAY_MS = 86_400_000
const DAYS = 29
/** Role, model, calls on a busy day, tokens of a call, price per million tokens. */
const USES: readonly (readonly [role: AgentRole, model: string, calls: number, tokens: number, price: number])[] = [
  ['planner', 'large-32b', 9, 5200, 0.9],
  ['assistant', 'large-32b', 6, 6400, 0.9],
  ['reviewer', 'small-8b', 14, 2100, 0.2],
  ['messenger', 'small-8b', 8, 1700, 0.2],
  ['curator', 'mistral-small', 3, 3100, 0.4],
]
const PEOPLE = ['ada', 'ben', 'cleo'] as const

/** Must come before the server seals the audit of today. */
export async function addUsage(database: Database, now: Date): Promise<void> {
  const entries: NewAuditEntry[] = []
  for (let ago = DAYS; ago >= 1; ago -= 1) {
    const day = new Date(now.getTime() - ago * DAY_MS)
    const isWeekend = [0, 6].includes(day.getUTCDay())
    // Grows a little, and is never twice the same; no chance, so that the pictures stay as they are.
    const share = (isWeekend ? 0.2 : 1) * (0.55 + 0.45 * Math.abs(Math.sin(ago * 1.7))) * (1.25 - ago / 60)
    for (const [role, model, calls, tokens, price] of USES) {
      for (let call = 0; call < Math.round(calls * share); call += 1) {
        const inputTokens = Math.round(tokens * (0.7 + ((call * 37 + ago * 11) % 60) / 100))
        const outputTokens = Math.round(inputTokens / 9)
        const cost = ((inputTokens + 3 * outputTokens) * price) / 1_000_000
        const counts = { inputTokens, outputTokens, cachedTokens: Math.round(inputTokens / 3), cost }
        const actor = PEOPLE[(call + ago) % PEOPLE.length] ?? 'ada'
        const body = {
          kind: 'MODEL_CALL',
          role,
          provider: 'local',
          model,
          status: 'OK',
          durationMs: 900 + call * 130,
        } as const
        const at = new Date(day.getTime() + call * 600_000)
        entries.push({ at, sessionId: null, turnId: null, actor, tokenName: actor, body: { ...body, ...counts } })
      }
    }
  }
  await appendAudit(database, entries)
}
