/**
 * Rows that were decided and are still in what was read: they are gone for the person at once, so that the next key
 * means the next row. Shown again when the decision was refused or taken back.
 */
import { useState } from 'react'

export interface Hidden<Row> {
  readonly shown: readonly Row[]
  readonly hide: (ids: readonly string[]) => void
  readonly show: (ids: readonly string[]) => void
}

export function useHidden<Row extends { readonly id: string }>(rows: readonly Row[]): Hidden<Row> {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  return {
    shown: hidden.size === 0 ? rows : rows.filter(({ id }) => !hidden.has(id)),
    hide: (ids) => setHidden((before) => new Set([...before, ...ids])),
    show: (ids) => setHidden((before) => new Set([...before].filter((id) => !ids.includes(id)))),
  }
}
