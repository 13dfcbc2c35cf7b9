/** How long there is to decide. */
import { useEffect, useState } from 'react'
import { Badge } from '../../ui/display/badge.tsx'
import { durationText } from '../../ui/display/time-text.ts'

const MINUTE_MS = 60_000
const SOON_MS = 5 * MINUTE_MS

export function Countdown({ until }: { readonly until: string }) {
  const [now, setNow] = useState(Date.now())
  const left = Date.parse(until) - now
  const everyMs = left < 2 * MINUTE_MS ? 1000 : 10_000
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  if (left <= 0) return <Badge tone="bad">time is up</Badge>
  const text = left < 60 * MINUTE_MS ? durationText(left) : durationText(Math.round(left / MINUTE_MS) * MINUTE_MS)
  return <Badge tone={left < SOON_MS ? 'bad' : 'plain'}>{`${text} left`}</Badge>
}
