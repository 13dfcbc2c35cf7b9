/** What the viewer may do with a session, and where it comes from. */
import { useSession } from '@factotum/client/react'
import { useEffect } from 'react'
import { queryClient } from '../../data/query-client.ts'
import { keyOf, useRead } from '../../data/use-read.ts'
import { SessionPageDocument, type SessionPageQuery } from '../../generated/graphql.ts'

export function useSessionPage(id: string): SessionPageQuery['session'] | null {
  const isBusy = useSession(id, (state) => state.isBusy)
  const { data } = useRead(SessionPageDocument, { id })
  // A session that works can neither be put aside nor deleted: after its work that is asked again.
  useEffect(() => {
    if (!isBusy) return undefined
    return () => void queryClient.invalidateQueries({ queryKey: keyOf(SessionPageDocument, { id }) })
  }, [id, isBusy])
  return data?.session ?? null
}
