/** A word of state, with a colour that repeats it and never replaces it. */
import type { ReactNode } from 'react'
import './display.css'

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'busy'

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>
}

/** The states of the API: sessions, turns, tasks, messages, approvals, and what else has one. */
const TONES: Readonly<Record<string, Tone>> = {
  RUNNING: 'busy',
  PROCESSING: 'busy',
  QUEUED: 'plain',
  PENDING: 'plain',
  AWAITING_APPROVAL: 'warn',
  DONE: 'good',
  APPROVED: 'good',
  ACTIVE: 'good',
  OK: 'good',
  FAILED: 'bad',
  DENIED: 'bad',
  EXPIRED: 'bad',
  INTERRUPTED: 'bad',
  DEAD: 'bad',
}

const WORDS: Readonly<Record<string, string>> = { AWAITING_APPROVAL: 'needs approval', INACTIVE: 'put aside' }

export function Status({ status, tone }: { readonly status: string; readonly tone?: Tone }) {
  return (
    <Badge tone={tone ?? TONES[status] ?? 'plain'}>
      <span className="badge-dot" aria-hidden="true" />
      {WORDS[status] ?? status.toLowerCase().replaceAll('_', ' ')}
    </Badge>
  )
}
