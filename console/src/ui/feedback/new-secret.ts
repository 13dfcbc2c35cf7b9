/** A secret that is shown once. It is no part of any page: neither a step back nor the end of a login loses it. */
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
