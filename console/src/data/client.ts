/**
 * The one client of the page. Who asks is known by the cookie of the login, which no script can read. All calls of the
 * console go through `run`, so that one place knows whether the server answers.
 */
import { connect, ClientError, type CallOptions, type TypedDocument } from '@factotum/client'
import { reportAnswer, reportFailure, reportSocket } from './trouble.ts'

export const client = connect({ url: new URL('.', document.baseURI).href })
client.watchConnection(() => reportSocket(client.connectionState))

/** A query or mutation. Throws ClientError, or the signal's reason. */
export async function run<Data, Variables>(
  operation: TypedDocument<Data, Variables>,
  variables: Variables,
  options: CallOptions = {},
): Promise<Data> {
  try {
    const data = await client.run(operation, variables, options)
    reportAnswer()
    return data
  } catch (error) {
    if (error instanceof ClientError) reportFailure(error)
    throw error
  }
}
