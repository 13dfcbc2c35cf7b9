import { useCallback, useRef, useSyncExternalStore } from 'react'

interface Store<State> {
  readonly getSnapshot: () => State
  readonly subscribe: (listener: () => void) => () => void
}

/**
 * What `selector` takes of a store's state. The component renders only when that is another value: by identity, and
 * of a plain object or array by the identity of its fields.
 */
export function useSelected<State, Selected>(store: Store<State>, selector: (state: State) => Selected): Selected {
  const last = useRef<{ readonly selected: Selected } | null>(null)
  const select = useRef(selector)
  select.current = selector
  const getSelected = useCallback((): Selected => {
    const selected = select.current(store.getSnapshot())
    if (last.current !== null && isSame(last.current.selected, selected)) return last.current.selected
    last.current = { selected }
    return selected
  }, [store])
  return useSyncExternalStore(store.subscribe, getSelected, getSelected)
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (!isPlain(one) || !isPlain(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => Object.is(one[name], other[name]))
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype
}
