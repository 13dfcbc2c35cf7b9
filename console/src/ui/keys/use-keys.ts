/**
 * Keys that do something on a page, such as "a", "?" or "g s" (one after the other). They do nothing while a person
 * types, in a dialog or a menu, or with Ctrl, Alt or Meta; `mod+enter` is the exception, for what is typed itself.
 */
import { useEffect, useEffectEvent } from 'react'

export type Keys = Readonly<Record<string, () => void>>

const NEXT_WITHIN_MS = 1200
/** Behind it a key never stands for itself: "g a" leads to the approvals, and must not approve what is current. */
const LEADER = 'g'

interface Pressed {
  readonly key: string
  readonly at: number
}

/** The key before the newest one, and that. */
let first: Pressed | null = null
let newest: Pressed | null = null

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

/** Once, for all pages: remembers the first of two keys, before anything acts on the second. */
export function rememberFirstKeys(): void {
  const remember = (event: KeyboardEvent): void => {
    first = newest
    newest = isElsewhere(event) ? null : { key: event.key, at: event.timeStamp }
  }
  addEventListener('keydown', remember, { capture: true })
}

function isElsewhere({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  // They press what has the focus.
  if ((key === 'Enter' || key === ' ') && target.closest('a, button, summary') !== null) return true
  return target.isContentEditable || target.closest('input, textarea, select, dialog, [role="menu"]') !== null
}
