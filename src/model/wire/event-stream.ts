/** Whether an answer with this content type is a stream of events (SSE) and not a document. */
export function isEventStream(contentType: string | null | undefined): boolean {
  return (contentType ?? '').trim().toLowerCase().startsWith('text/event-stream')
}
