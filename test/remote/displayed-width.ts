/** How many columns a terminal takes for a text, as Node's own line editor counts them: a judge that is not ours. */
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'

/** Without colours. Flags count as the two letters that they are made of. */
export function displayedWidth(line: string): number {
  const lines = createInterface({ input: new PassThrough(), output: new PassThrough(), terminal: true })
  try {
    lines.setPrompt(line)
    return lines.getCursorPos().cols
  } finally {
    lines.close()
  }
}
