/**
 * What stands between the page and the server: nothing, no answer, or no login. The shell shows it in one line,
 * whatever page is open, and it goes by itself as soon as the server has answered again.
 */
import type { ClientError, ConnectionState } from '@factotum/client'
import { useSyncExternalStore } from 'react'
import { Listeners } from '../ui/listeners.ts'

export type Trouble = 'none' | 'unreachable' | 'unauthenticated' | 'overloaded'

/** A socket that is back within this time was not missed by anybody. */
const GRACE_MS = 1200

let trouble: Trouble = 'none'
let grace: ReturnType<typeof setTimeout> | undefined
const listeners = new Listeners()
const returns = new Listeners()

function become(next: Trouble): void {
  clearTimeout(grace)
  if (next === trouble) return
  const isBack = next === 'none' && trouble !== 'none'
  trouble = next
  listeners.notify()
  if (isBack) returns.notify()
}

/** The server has answered a call. */
export function reportAnswer(): void {
  become('none')
}

/** A call ended so; only what concerns all calls is trouble. */
export function reportFailure({ code }: ClientError): void {
  if (code === 'UNAUTHENTICATED') become('unauthenticated')
  // A proxy that has no server behind it answers something else.
  else if (code === 'UNREACHABLE' || code === 'BAD_RESPONSE') become('unreachable')
  else if (code === 'OVERLOADED' || code === 'DATABASE_UNAVAILABLE') become('overloaded')
}

/** How the WebSocket stands, whenever that changes. 'idle': nothing is followed, which is no trouble. */
export function reportSocket(state: ConnectionState): void {
  clearTimeout(grace)
  if (state === 'open' && trouble !== 'unauthenticated') become('none')
  if (state === 'offline' && trouble === 'none') grace = setTimeout(() => become('unreachable'), GRACE_MS)
}

/** Calls `back` whenever the server is there again; what it returns ends that. */
export function onReturn(back: () => void): () => void {
  return returns.follow(back)
}

export function useTrouble(): Trouble {
  return useSyncExternalStore(listeners.follow, () => trouble)
}
