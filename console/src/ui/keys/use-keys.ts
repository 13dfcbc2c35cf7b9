/**
 * Keys that do something on a page, such as "a", "?" or "g s" (one after the other). They do nothing while a person
 * types, in a dialog or a menu, or with Ctrl, Alt or Meta; `mod+enter` is the exception, for what is typed itself.
 */
import { useEffect, useEffectEvent } from 'react'

export type Keys = Readonly<Record<string, () => void>>

const NEXT_WITHIN_MS = 1200
/** Behind it a key never stands for itself: "g a" leads to the approvals, and must not approve what is current. */
const LEADER = 'g'

let first: { readonly key: string; readonly at: number } | null = null

export function useKeys(keys: Keys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isElsewhere(event)) return
    const pair = first !== null && event.timeStamp - first.at < NEXT_WITHIN_MS ? `${first.key} ${event.key}` : null
    const does =
      (pair === null ? undefined : keys[pair]) ?? (pair !== null && first?.key === LEADER ? undefined : keys[event.key])
    if (does === undefined) return
    event.preventDefault()
    does()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

/** Once, for all pages: remembers the first of two keys, after everybody has seen it. */
export function rememberFirstKeys(): void {
  addEventListener('keydown', (event) => {
    queueMicrotask(() => (first = isElsewhere(event) ? null : { key: event.key, at: event.timeStamp }))
  })
}

function isElsewhere({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, dialog, [role="menu"]') !== null
}
