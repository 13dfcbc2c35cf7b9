/**
 * Follows a subscription while a component is shown: begins anew after each interruption. Subscriptions of lists say
 * `readList` then, so nothing is missed.
 */
import { ClientError, type TypedDocument } from '@factotum/client'
import { useEffect, useEffectEvent } from 'react'
import { client } from './client.ts'
import { reportBroken } from './trouble.ts'

const FIRST_DELAY_MS = 400
const LONGEST_DELAY_MS = 4000

/** `onUpdate` is called with each update; the newest one, when the component was rendered again since. */
export function useUpdates<Data extends object, Variables extends object>(
  document: TypedDocument<Data, Variables>,
  variables: Variables,
  onUpdate: (data: Data) => void,
): void {
  const tell = useEffectEvent(onUpdate)
  const key = JSON.stringify(variables)
  useEffect(() => {
    const left = new AbortController()
    void follow(document, JSON.parse(key) as Variables, { tell, signal: left.signal })
    return () => left.abort()
  }, [document, key])
}

interface Following<Data> {
  readonly tell: (data: Data) => void
  readonly signal: AbortSignal
}

async function follow<Data extends object, Variables extends object>(
  document: TypedDocument<Data, Variables>,
  variables: Variables,
  { tell, signal }: Following<Data>,
): Promise<void> {
  let delay = FIRST_DELAY_MS
  while (!signal.aborted) {
    try {
      for await (const data of client.subscribe(document, variables, { signal })) {
        delay = FIRST_DELAY_MS
        tell(data)
      }
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      if (!signal.aborted) reportBroken(error)
      // May not be followed: coming back would not help.
      if (error.code === 'FORBIDDEN' || error.code === 'BAD_USER_INPUT' || error.code === 'NOT_FOUND') return
    }
    await new Promise((resolve) => setTimeout(resolve, delay))
    delay = Math.min(LONGEST_DELAY_MS, delay * 2)
  }
}
