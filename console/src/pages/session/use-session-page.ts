/** What the viewer may do with a session, and where it comes from. */
import { useSession } from '@factotum/client/react'
import { useEffect } from 'react'
import { queryClient } from '../../data/query-client.ts'
import { keyOf, useRead } from '../../data/use-read.ts'
import { SessionDetailsDocument, SessionPageDocument, type SessionPageQuery } from '../../generated/graphql.ts'

export function useSessionPage(id: string): SessionPageQuery['session'] | null {
  const state = useSession(id, ({ isBusy, status }) => (isBusy ? 'busy' : status === 'absent' ? 'absent' : 'rests'))
  const { data } = useRead(SessionPageDocument, { id })
  // One that works can neither be put aside nor deleted, one that is not there yet has nothing: after that it is asked
  // again, and what the details say of it, too.
  useEffect(() => {
    if (state === 'rests') return undefined
    return () => {
      for (const read of [SessionPageDocument, SessionDetailsDocument])
        void queryClient.invalidateQueries({ queryKey: keyOf(read, { id }) })
    }
  }, [id, state])
  return data?.session ?? null
}
