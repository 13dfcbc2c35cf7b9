/**
 * Short labels for things with ids, such as F1, F2 …: a model is shown labels and answers with them; code maps them
 * back. So an answer can only mean what was shown, and no id travels through a prompt.
 */
export type LabelPrefix = 'F' | 'L' | 'M' | 'Q'

/** The items by label, in their order. */
export function labelItems<T>(prefix: LabelPrefix, items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item, index) => [`${prefix}${index + 1}`, item]))
}

/** The label that a model meant: "[l2]" is L2. */
export function readLabel(text: string): string {
  return text.replaceAll(/[\s[\]().:]/g, '').toUpperCase()
}

/** The ids of the items that `labels` name, each once, in their order; what names none of them is left out. */
export function idsNamed(
  prefix: LabelPrefix,
  items: readonly { readonly id: string }[],
  labels: readonly string[],
): string[] {
  const named = new Set(labels.map(readLabel))
  return [...labelItems(prefix, items)].flatMap(([label, { id }]) => (named.has(label) ? [id] : []))
}

/** What keeps `labels`, as a model answered, from naming each of `shown` exactly once; null when they do. */
export function missedLabels(shown: Iterable<string>, labels: readonly string[]): string | null {
  const wanted = new Set(shown)
  const unknown = labels.filter((label) => !wanted.has(label))
  const twice = labels.filter((label, index) => labels.indexOf(label) < index)
  const missing = [...wanted].filter((label) => !labels.includes(label))
  const problems = [
    ...(unknown.length === 0 ? [] : [`there is no ${list(unknown)}`]),
    ...(twice.length === 0 ? [] : [`more than once: ${list(twice)}`]),
    ...(missing.length === 0 ? [] : [`not named: ${list(missing)}`]),
  ]
  return problems.length === 0 ? null : problems.join('; ')
}

const MAX_LISTED = 10
const MAX_LABEL_CHARS = 12

function list(labels: readonly string[]): string {
  const unique = [...new Set(labels)]
  const shown = unique.slice(0, MAX_LISTED).map((label) => label.slice(0, MAX_LABEL_CHARS).toWellFormed())
  return shown.join(', ') + (unique.length > MAX_LISTED ? ' …' : '')
}
