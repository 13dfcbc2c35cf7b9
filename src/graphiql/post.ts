/** One operation over HTTP, as the page asks for it. */

export interface Operation {
  readonly query: string
  readonly operationName?: string | null | undefined
  readonly variables?: unknown
}

export const ENDPOINT = '/graphql'

/** What the server answers, whatever the status: errors stand in it. */
export async function post<Answer>(
  operation: Operation,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Answer> {
  const accept = 'application/graphql-response+json, application/json'
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept },
    body: JSON.stringify(operation),
    ...(signal === undefined ? {} : { signal }),
  })
  return (await response.json()) as Answer
}
