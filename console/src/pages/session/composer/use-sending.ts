/** Send while files are on their way: the message waits for them, and goes out by itself; never without one of them. */
import { useEffect, useEffectEvent, useState } from 'react'
import { notify } from '../../../ui/feedback/toasts.ts'
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
  const sendWhole = (): void => {
    const failed = uploads.files.flatMap(({ name, status }) => (status === 'failed' ? [name] : []))
    if (failed.length === 0) return send()
    const text = `Not sent, because this did not arrive: ${failed.join(', ')}. Try it again, or leave it out.`
    notify({ tone: 'bad', text })
  }
  const arrived = useEffectEvent(() => {
    setIsWaiting(false)
    sendWhole()
  })
  useEffect(() => {
    if (isWaiting && !isBusy) arrived()
  }, [isWaiting, isBusy])
  return {
    isWaiting,
    begin: () => (isBusy ? setIsWaiting(true) : sendWhole()),
    stop: () => setIsWaiting(false),
  }
}
