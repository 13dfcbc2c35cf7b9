/**
 * An answer's bytes, looked at before they are parsed: whether they are a stream of events, whatever the header says,
 * and whether the stream said that it is over. What must hold: every byte is passed on, as it comes.
 */
import { isEventStream } from '../event-stream.ts'

/** An answer whose kind is known. */
export interface OpenedAnswer {
  readonly response: Response
  readonly streamed: boolean
  /** Whether "[DONE]" has passed. */
  readonly isDone: () => boolean
}

const FIRST_FIELD = /^\uFEFF?\s*(data|event|id|retry)?:/
const DONE = /[\r\n]data: ?\[DONE\]/
/** What is kept of the bytes before, so that "[DONE]" is found also where it is cut. */
const TAIL_CHARS = 16

/** Reads the first bytes. Rejects with what the body rejects with. */
export async function openAnswer(response: Response): Promise<OpenedAnswer> {
  const declared = isEventStream(response.headers.get('content-type'))
  if (response.body === null) return { response, streamed: declared, isDone: () => false }
  const reader = response.body.getReader()
  const first = await reader.read()
  const begins = Buffer.from(first.value ?? []).toString('latin1', 0, 64)
  const streamed = declared || FIRST_FIELD.test(begins.replace('\u00EF\u00BB\u00BF', ''))
  const watch = new DoneWatch()
  const { status, headers } = response
  return {
    response: new Response(passOn(reader, first, watch), { status, headers }),
    streamed,
    isDone: () => watch.isDone,
  }
}

function passOn(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  first: ReadableStreamReadResult<Uint8Array>,
  watch: DoneWatch,
): ReadableStream<Uint8Array> {
  const give = (
    { done, value }: ReadableStreamReadResult<Uint8Array>,
    out: ReadableStreamDefaultController<Uint8Array>,
  ): void => {
    if (done) return out.close()
    watch.see(value)
    out.enqueue(value)
  }
  return new ReadableStream<Uint8Array>({
    start: (out) => give(first, out),
    pull: async (out) => give(await reader.read(), out),
    cancel: (reason) => reader.cancel(reason),
  })
}

class DoneWatch {
  isDone = false
  #tail = '\n'

  see(chunk: Uint8Array): void {
    const text = this.#tail + Buffer.from(chunk).toString('latin1')
    this.isDone ||= DONE.test(text)
    this.#tail = text.slice(-TAIL_CHARS)
  }
}
