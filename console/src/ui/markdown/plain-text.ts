/** A line of Markdown for a place that has space for its words alone. What it holds besides stays as it is. */
export function plainText(markdown: string): string {
  return RULES.reduce((text, [mark, words]) => text.replaceAll(mark, words), markdown).trim()
}

const RULES: readonly (readonly [mark: RegExp, words: string])[] = [
  [/```\w*/g, ' '],
  [/!?\[([^\]]*)\]\([^)]*\)/g, '$1'],
  [/(\*\*|__)(\S(?:[^*_]*\S)?)\1/g, '$2'],
  [/`([^`]+)`/g, '$1'],
  [/(^|\s)#{1,6}\s+/g, '$1'],
  // The line below the head of a table, and what stands between its cells.
  [/\|(?:\s*:?-{2,}:?\s*\|)+/g, '|'],
  [/(?:\s*\|\s*)+/g, ' · '],
  [/\s+/g, ' '],
  [/([.:!?]) · /g, '$1 '],
  [/^ · | · (?=…?$)/g, ''],
]
