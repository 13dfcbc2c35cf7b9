/** Moments and durations. A moment is relative, and exact on hover; all of them move on together. */
import { useSyncExternalStore } from 'react'
import { Tooltip } from '../controls/tooltip.tsx'
import { durationText, relativeText } from './time-text.ts'

const EVERY_MS = 10_000

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function follow(changed: () => void): () => void {
  listeners.add(changed)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const listener of listeners) listener()
  }, EVERY_MS)
  return () => {
    listeners.delete(changed)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })

/** `at` as the API gives it. */
export function Time({ at }: { readonly at: string }) {
  const shownNow = useSyncExternalStore(follow, () => now)
  const moment = new Date(at)
  return (
    <Tooltip text={exact.format(moment)}>
      <time dateTime={at} className="nowrap" tabIndex={-1}>
        {relativeText(moment.getTime(), Math.max(shownNow, now))}
      </time>
    </Tooltip>
  )
}

export function Duration({ ms }: { readonly ms: number }) {
  return <span className="nowrap">{durationText(ms)}</span>
}
