/** What shows the turn of a session that a task was given to: a tree like the one that it stands in. */
import { createContext, type ComponentType } from 'react'

export const ChildTurn = createContext<ComponentType<{
  readonly id: string
  readonly turnId: string | null
}> | null>(null)
