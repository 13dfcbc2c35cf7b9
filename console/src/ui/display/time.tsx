/** Moments and durations. A moment is relative, and exact on hover; all of them move on together. */
import { useSyncExternalStore } from 'react'
import { Tooltip } from '../controls/tooltip.tsx'
import { durationText, relativeText } from './time-text.ts'

const EVERY_MS = 10_000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function follow(changed: () => void): () => void {
  listeners.add(changed)
  timer ??= setInterval(() => {
    for (const listener of listeners) listener()
  }, EVERY_MS)
  return () => {
    listeners.delete(changed)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Read at each use: a page may have shown no moment for long. */
function now(): number {
  return Math.floor(Date.now() / EVERY_MS) * EVERY_MS
}

/** `at` as the API gives it. */
export function Time({ at }: { readonly at: string }) {
  const shownNow = useSyncExternalStore(follow, now)
  const moment = new Date(at)
  return (
    <Tooltip text={<Exact moment={moment} />}>
      <time dateTime={at} className="nowrap" tabIndex={-1}>
        {relativeText(moment.getTime(), shownNow)}
      </time>
    </Tooltip>
  )
}

const format = { dateStyle: 'full', timeStyle: 'long' } as const

/** Of the one that is pointed at: to write it so costs more than all the rest of a row. */
function Exact({ moment }: { readonly moment: Date }) {
  return moment.toLocaleString(undefined, format)
}

export function Duration({ ms }: { readonly ms: number }) {
  return <span className="nowrap">{durationText(ms)}</span>
}
