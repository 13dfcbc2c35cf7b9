/** Runtimes that do what they must not, each in a way of its own. */
import { definePlugin } from 'factotum/plugin'

interface Asked {
  readonly signal: AbortSignal
}
type Piece = { readonly kind: 'text'; readonly text: string }

const text = (said: string): Piece => ({ kind: 'text', text: said })
/** What no type allows. */
const wrong = (piece: unknown): Piece => piece as Piece
const forEver = (): Promise<never> => new Promise(() => {})

/** A runtime whose conversations answer by `send`. */
const runtime = (description: string, send: (asked: Asked) => AsyncIterable<Piece>) => ({
  description,
  open: () => ({ send, close: () => undefined }),
})

let bomb: unknown = 'end'
for (let depth = 0; depth < 100_000; depth += 1) bomb = { inner: bomb }

export default definePlugin({
  name: 'hostile-runtimes',
  version: '1.0.0',
  api: 1,
  title: 'Hostile runtimes',
  description: 'Answers as no model may.',
  runtimes: {
    silent: runtime('Never answers.', async function* () {
      await forEver()
      yield text('never')
    }),
    garbage: runtime('Answers what is no piece.', async function* () {
      yield text('I am ')
      yield wrong({ kind: 'song', notes: [1, 2, 3] })
    }),
    endless: runtime('Never ends.', async function* () {
      for (;;) yield text('x'.repeat(64 * 1024))
    }),
    refuses: {
      description: 'Throws when it is opened.',
      open: () => {
        throw new Error('no room for conversations')
      },
    },
    exits: runtime('Ends its process in the middle of an answer.', async function* () {
      yield text('Good')
      // What is on its way is taken first.
      await new Promise((resolve) => setTimeout(resolve, 200))
      process.exit(3)
    }),
    late: runtime('Goes on after it was told to stop.', async function* ({ signal }) {
      yield text('one')
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      for (let n = 0; n < 1000; n += 1) yield text('two')
    }),
    bomb: runtime('Calls with arguments too deep to be read.', async function* () {
      yield wrong({ kind: 'call', id: '1', name: 'exec', args: bomb })
    }),
    miscounts: runtime('Says that it took fewer tokens than none.', async function* () {
      yield text('Done.')
      yield wrong({ kind: 'usage', inputTokens: -5, outputTokens: Number.NaN })
    }),
  },
})
