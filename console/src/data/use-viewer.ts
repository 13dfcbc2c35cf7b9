/** Who sits before the page. */
import { createContext, use } from 'react'
import type { ViewerQuery } from '../generated/graphql.ts'

export type Viewer = ViewerQuery['viewer'] & { readonly isAdmin: boolean }

export const ViewerContext = createContext<Viewer | null>(null)

/** Below the shell alone, which asks before it shows a page. */
export function useViewer(): Viewer {
  const viewer = use(ViewerContext)
  if (viewer === null) throw new Error('A page is shown without a viewer.')
  return viewer
}
