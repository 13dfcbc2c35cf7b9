/**
 * An answer's bytes, examined before they are parsed: whether they are a stream of events, whatever the header says.
 * What must hold: every byte is passed on, as it comes.
 */
import { isEventStream } from './event-stream.ts'
import { AnswerBytes, StreamedAnswer } from './answer-bytes.ts'

const DOCUMENT = /^\uFEFF?\s*[{[]/
const FIRST_FIELD = /^\uFEFF?\s*(data|event|id|retry)?:/

/** The answer with its bytes at hand: our transport's is one already, that of any other `fetch` becomes one. */
export function asStreamed(response: Response): StreamedAnswer {
  if (response instanceof StreamedAnswer) return response
  const { status, headers } = response
  return new StreamedAnswer(chunksOf(response), { status, headers })
}

function chunksOf({ body }: Response): AnswerBytes {
  const reader = body?.getReader()
  const chunks = new AnswerBytes({
    // Asked for one at a time, so none is ever too many.
    pause: () => undefined,
    resume: () => {
      reader?.read().then(
        ({ done, value }) => (done ? chunks.end() : chunks.push(value)),
        (error: unknown) => chunks.fail(error),
      )
    },
    cancel: () => void reader?.cancel().catch(() => undefined),
  })
  if (reader === undefined) chunks.end()
  return chunks
}

/** Reads the first bytes, and gives them back. Rejects with what the body rejects with. */
export async function isStreamOfEvents({ headers, chunks }: StreamedAnswer): Promise<boolean> {
  const isCalledOne = isEventStream(headers.get('content-type'))
  const first = await chunks.next()
  if (first === null) return isCalledOne
  chunks.unread(first)
  const begins = Buffer.from(first.subarray(0, 64)).toString('latin1').replace('\u00EF\u00BB\u00BF', '')
  return isCalledOne ? !DOCUMENT.test(begins) : FIRST_FIELD.test(begins)
}
