/** An error that came as an answer: in a stream, or in a document with status 200. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError'
  readonly body: unknown

  constructor(body: unknown) {
    super('the answer is an error')
    this.body = body
  }
}
