/** `factotum usage`: what model calls cost, as a table, JSON or CSV. */
import type { FactotumClient } from '../../packages/client/src/connect.ts'
import type { UsageAction } from '../config/command-line/remote-action.ts'
import { harmless } from '../core/text/harmless.ts'
import { unpricedText } from '../core/unpriced.ts'
import { usageCsv } from '../core/usage-csv.ts'
import { TerminalUsageDocument, type UsageGrouping } from '../generated/remote/graphql.ts'
import type { Clock } from '../platform/clock.ts'
import { show } from './list-commands.ts'
import { printError, type Terminal } from './terminal.ts'

const DAY_MS = 86_400_000
/** What the API gives at most. */
const MOST = 500

export async function showUsage(
  client: FactotumClient,
  terminal: Terminal,
  asked: UsageAction & { readonly clock: Clock },
): Promise<void> {
  const { by, as, clock } = asked
  const today = clock.now().toISOString().slice(0, 10)
  const from = asked.from ?? `${today.slice(0, 7)}-01`
  const to = asked.to ?? today
  const span = { from: `${from}T00:00:00Z`, to: new Date(Date.parse(to) + DAY_MS).toISOString() }
  const grouping = by.toUpperCase() as UsageGrouping
  const { usage, models } = await client.run(TerminalUsageDocument, { by: grouping, ...span })
  const rows = usage ?? []
  if (as === 'csv') terminal.output.write(usageCsv({ by, from, to }, rows))
  else
    show({ items: rows, isCut: false }, terminal, {
      json: as === 'json',
      heads: [by.toUpperCase(), 'CALLS', 'READ', 'CACHED', 'WRITTEN', 'COST', 'WITHOUT PRICE'],
      row: ({ key, unpricedCalls, usage: { calls, inputTokens, outputTokens, cachedTokens, cost } }) => [
        key === '' ? '(none)' : key,
        ...[calls, inputTokens, cachedTokens, outputTokens].map(String),
        cost === null ? '' : [cost.amount, cost.currency].join(' ').trimEnd(),
        unpricedCalls === 0 ? '' : String(unpricedCalls),
      ],
    })
  const unpriced = unpricedText(models ?? [])
  if (unpriced !== null) printError(terminal, harmless(unpriced))
  if (rows.length === MOST) printError(terminal, `These are the first ${MOST}; a shorter time has fewer.`)
}
