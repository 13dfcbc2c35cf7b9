/** Text as a LIKE pattern that matches just that text: Prisma passes `_`, `%` and `\` on as wildcards. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`)
}
