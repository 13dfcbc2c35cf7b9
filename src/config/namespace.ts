/** The rule for the namespace of a connector. */

/** As `namespace` of a connector: not confined. */
export const EVERYWHERE = '*'

export const NAMESPACE_RULE =
  'must be 1 to 64 letters, digits and _ @ . -, without ":" and not beginning with "@"; or "*"'

export function isNamespace(text: string): boolean {
  return text === EVERYWHERE || /^[a-zA-Z0-9_.-][a-zA-Z0-9_@.-]{0,63}$/.test(text)
}
