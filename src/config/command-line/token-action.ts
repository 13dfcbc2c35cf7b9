/** `factotum token …` as words → what token to make (src/config/command-line/add-token.ts does it). Pure. */
export interface TokenAction {
  readonly kind: 'user' | 'connector'
  /** Whom it acts for; null: the only admin. Always null for connectors. */
  readonly user: string | null
  /** The sessions a connector may touch; null: not said. Always null for users. */
  readonly namespace: string | null
  /** Of the section; null: after the user or the namespace. */
  readonly name: string | null
  /** Only shows what config.toml would have to hold. */
  readonly print: boolean
}

export interface TokenFlags {
  readonly kind?: string | undefined
  readonly user?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly print?: boolean | undefined
}

const TAKES = new Set(['kind', 'user', 'namespace', 'name', 'print'])

/** `words` after "token". The action, or a sentence that says what is wrong. */
export function parseTokenAction(words: readonly string[], flags: TokenFlags): TokenAction | string {
  if (words[0] !== undefined) return `"${words[0]}" is one word too many.`
  const wrong = Object.keys(flags).find((flag) => !TAKES.has(flag))
  if (wrong !== undefined) return `"factotum token" takes no option --${wrong}.`
  const { kind = 'user', user = null, namespace = null, name = null, print = false } = flags
  if (kind !== 'user' && kind !== 'connector') return `--kind must be "user" or "connector"; it is "${kind}".`
  if (kind === 'connector' && user !== null) return 'A connector names the sender of each message: it takes no --user.'
  if (kind === 'user' && namespace !== null) return '--namespace is for connectors: add --kind connector.'
  return { kind, user, namespace, name, print }
}
