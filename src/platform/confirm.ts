/** Asks a person at a terminal. */
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

/** True for "y" and "yes". The end of the input (Ctrl-D) answers too: no. */
export async function confirm(
  question: string,
  { input, output }: { readonly input: Readable; readonly output: Writable },
): Promise<boolean> {
  const lines = createInterface({ input, output })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([lines.question(question), ended])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
