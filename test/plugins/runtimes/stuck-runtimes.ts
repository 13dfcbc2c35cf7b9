/** Runtimes whose conversations do not come to their beginning or to their end. */
import { definePlugin } from 'factotum/plugin'

const forEver = (): Promise<never> => new Promise(() => {})
const greet = async function* () {
  yield { kind: 'text', text: 'Hello.' } as const
}
let openCount = 0

export default definePlugin({
  name: 'stuck-runtimes',
  version: '1.0.0',
  api: 1,
  title: 'Stuck runtimes',
  description: 'Neither opens nor closes.',
  runtimes: {
    opening: { description: 'Is opened for ever, whatever its signal says.', open: forEver },
    closing: { description: 'Answers, and is closed for ever.', open: () => ({ send: greet, close: forEver }) },
    counts: {
      description: 'Says how many of its conversations are open.',
      open: () => {
        openCount += 1
        const send = async function* () {
          yield { kind: 'text', text: String(openCount) } as const
        }
        return { send, close: () => void (openCount -= 1) }
      },
    },
    greets: { description: 'Answers as it should.', open: () => ({ send: greet, close: () => undefined }) },
  },
})
