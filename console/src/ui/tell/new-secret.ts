/** A secret that is shown once. It is no part of any page, so that a step back, or a login that ended, does not lose it. */
import { useSyncExternalStore } from 'react'
import { Listeners } from '../listeners.ts'

let shown: string | null = null
const listeners = new Listeners()

/** Null: it is kept elsewhere by now, and forgotten here. */
export function showSecret(secret: string | null): void {
  shown = secret
  listeners.notify()
}

export function useNewSecret(): string | null {
  return useSyncExternalStore(listeners.follow, () => shown)
}
