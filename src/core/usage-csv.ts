/** What model calls cost, as CSV (RFC 4180) that a spreadsheet opens as it is meant. */

export interface UsageCsvRow {
  readonly key: string
  readonly unpricedCalls: number
  readonly usage: {
    readonly calls: number
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cachedTokens: number
    readonly cost: { readonly amount: string; readonly currency: string | null } | null
  }
}

export interface UsageCsvHead {
  /** What the key is, such as "user". */
  readonly by: string
  /** The first and the last day (UTC). */
  readonly from: string
  readonly to: string
}

const COLUMNS = 'first_day_utc,last_day_utc,calls,input_tokens,output_tokens,cached_tokens,cost,currency'

/** By which spreadsheets know that a file is in UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF'

/** A text that stands first is quoted whole: a spreadsheet that parts cells at ";" keeps it in one, too. */
export function usageCsv({ by, from, to }: UsageCsvHead, rows: readonly UsageCsvRow[]): string {
  const lines = rows.map(({ key, unpricedCalls, usage }) => {
    const { calls, inputTokens, outputTokens, cachedTokens, cost } = usage
    const amounts = [calls, inputTokens, outputTokens, cachedTokens, cost?.amount ?? '']
    return [textCell(key), from, to, ...amounts, textCell(cost?.currency ?? ''), unpricedCalls].join(',')
  })
  return `${BYTE_ORDER_MARK}${[`${by},${COLUMNS},calls_without_price`, ...lines].join('\r\n')}\r\n`
}

/** With an apostrophe before what a spreadsheet would take for a formula. */
function textCell(text: string): string {
  const harmless = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}
