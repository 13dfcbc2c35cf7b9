/** Short texts with their labels, one on a line, as they stand inside a fenced block. */
export function listItems(items: ReadonlyMap<string, { readonly content: string }>): string {
  return [...items].map(([label, { content }]) => `${label}: ${content.replaceAll(/\s*\n\s*/g, ' ')}`).join('\n')
}
