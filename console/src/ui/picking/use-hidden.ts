/**
 * Rows that were decided and are still in what was read: they are gone for the person at once, so that the next key
 * means the next row. Shown again when the decision was refused or taken back, and in the other views of the page: what
 * was decided in one is what another lists.
 */
import { useState } from 'react'

export interface Hidden<Row> {
  readonly shown: readonly Row[]
  readonly hide: (ids: readonly string[]) => void
  readonly show: (ids: readonly string[]) => void
}

/** `view`: which of the page's lists `rows` are of, where it has several. */
export function useHidden<Row extends { readonly id: string }>(rows: readonly Row[], view = ''): Hidden<Row> {
  /** By id: the view in which it was decided last. */
  const [hidden, setHidden] = useState<ReadonlyMap<string, string>>(new Map())
  return {
    shown: hidden.size === 0 ? rows : rows.filter(({ id }) => hidden.get(id) !== view),
    hide: (ids) => setHidden((before) => new Map([...before, ...ids.map((id) => [id, view] as const)])),
    show: (ids) => setHidden((before) => new Map([...before].filter(([id]) => !ids.includes(id)))),
  }
}
