/**
 * A webhook's URL in SQL as the audit and exports show it: scheme and host, as the rest may hold a secret (in code:
 * src/delivery/mask-url.ts). Sessions keep the URL as it was given, and many spellings lead to the same place: where it
 * is not plain where the host ends, nothing is shown.
 */
export function shownUrl(column: string): string {
  return String.raw`coalesce(substring(${column} from '^[A-Za-z]+://[^/?#\\@\s]+(?=[/?#\\]|$)') || '/…', '…')`
}
