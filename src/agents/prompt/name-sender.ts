/** A stranger as a prompt names them. Strangers choose their names, so a name is shortened to what a name needs. */
const MAX_NAME_CHARS = 40

export function nameSender(sender: string | null): string {
  const name = (sender ?? '')
    .replaceAll(/[^\p{L}\p{N}_@.#:-]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed()
    .trim()
  return name === '' ? 'Somebody without a name' : `"${name}"`
}

/**
 * A configured user's name enters a prompt as it is, since its pattern admits no other text; any other name is quoted.
 */
export function nameUser(name: string): string {
  return /^[a-z_][a-z0-9_-]{0,31}$/.test(name) ? name : nameSender(name)
}
