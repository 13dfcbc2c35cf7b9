/** What a person typed about an approval. */
export interface Reply {
  readonly approve: boolean
  readonly forSession: boolean
  readonly note: string | null
}

const REPLY = /^(y|yes|s|session|n|no)(?:[\s,:]+(.+))?$/is

/** Null: it is no answer. */
export function readReply(typed: string): Reply | null {
  const [, word = '', note = null] = REPLY.exec(typed) ?? []
  const letter = word.charAt(0).toLowerCase()
  return letter === '' ? null : { approve: letter !== 'n', forSession: letter === 's', note }
}
