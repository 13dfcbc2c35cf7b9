/** Send while files are on their way: the message waits for them, and goes out by itself unless one does not arrive. */
import { useEffect, useEffectEvent, useState } from 'react'
import { notify } from '../../../ui/tell/toasts.ts'
import type { Uploads } from './use-uploads.ts'

interface Sending {
  readonly isWaiting: boolean
  readonly begin: () => void
  /** The message is written further: nothing half-written goes out. */
  readonly stop: () => void
}

export function useSending(uploads: Uploads, send: () => void): Sending {
  const [isWaiting, setIsWaiting] = useState(false)
  const { isBusy } = uploads
  const arrived = useEffectEvent(() => {
    setIsWaiting(false)
    const failed = uploads.files.flatMap(({ name, status }) => (status === 'failed' ? [name] : []))
    if (failed.length === 0) return send()
    const text = `Not sent, because this did not arrive: ${failed.join(', ')}. Leave it out, or attach it again.`
    notify({ tone: 'bad', text })
  })
  useEffect(() => {
    if (isWaiting && !isBusy) arrived()
  }, [isWaiting, isBusy])
  return {
    isWaiting,
    begin: () => (isBusy ? setIsWaiting(true) : send()),
    stop: () => setIsWaiting(false),
  }
}
