/**
 * PostgreSQL stores neither NUL nor lone surrogates. What people send with them is refused (`isStorable`); what
 * programs and models print with them is kept with U+FFFD in their place (`toStorable`).
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

export function toStorable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed()
}
