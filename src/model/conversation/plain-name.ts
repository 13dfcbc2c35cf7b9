/**
 * The name of a call as it is sent back to a provider. What a model makes up is no reason to lose its turn: a request
 * that names a tool as no tool can be named is refused as a whole.
 */
const MAX_CHARS = 64

/** The name as it is, where a tool may have it. */
export function plainName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_CHARS)
  return plain === '' ? 'unnamed' : plain
}
