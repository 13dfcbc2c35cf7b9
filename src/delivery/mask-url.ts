/**
 * A webhook's URL for those who need not know all of it: its path and query may hold a secret, as with chat platforms.
 */
export function maskUrl(url: string): string {
  if (!URL.canParse(url)) return '…'
  const { origin, pathname, search } = new URL(url)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}
