/**
 * Follows a subscription while a component is shown. It comes back by itself after each interruption; subscriptions of
 * lists say `readList` then, so nothing is missed.
 */
import { ClientError, type TypedDocument } from '@factotum/client'
import { useEffect, useEffectEvent } from 'react'
import { client } from './client.ts'
import { reportFailure } from './trouble.ts'

/**
 * `onUpdate` is called with each update; the newest one, when the component was rendered again since. `variables` null:
 * it is not followed, as where the viewer may not, which the server would write down as denied.
 */
export function useUpdates<Data extends object, Variables extends object>(
  document: TypedDocument<Data, Variables>,
  variables: Variables | null,
  onUpdate: (data: Data) => void,
): void {
  const onData = useEffectEvent(onUpdate)
  const key = variables === null ? null : JSON.stringify(variables)
  useEffect(() => {
    if (key === null) return
    const left = new AbortController()
    void follow(document, JSON.parse(key) as Variables, { onData: (data) => onData(data), signal: left.signal })
    return () => left.abort()
  }, [document, key])
}

interface Following<Data> {
  readonly onData: (data: Data) => void
  readonly signal: AbortSignal
}

/** Ends when coming back would not help, such as where the viewer may not follow; lists are still read then. */
async function follow<Data extends object, Variables extends object>(
  document: TypedDocument<Data, Variables>,
  variables: Variables,
  { onData, signal }: Following<Data>,
): Promise<void> {
  try {
    for await (const data of client.subscribe(document, variables, { signal })) onData(data)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    reportFailure(error)
  }
}
