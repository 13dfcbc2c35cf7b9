/** What stands in the editor of headers, as far as it can be sent. */

/** Null: it is no JSON object of texts, as while it is being typed. */
export function headersOf(text: string): Record<string, string> | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]))
  } catch {
    return null
  }
}

/** There is a token in it, and not the one that the page shows as an example. */
export function hasToken(headers: Record<string, string>): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'authorization' && /^Bearer \s*[^<\s]\S*\s*$/i.test(value),
  )
}
