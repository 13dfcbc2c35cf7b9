/**
 * What keeps the session from being shown. Its store asks the server by itself, so what it meets is reported here: the
 * end of a login leads to the way in, and what passes is said by the line above every page.
 */
import type { ClientError } from '@factotum/client'
import { useSession } from '@factotum/client/react'
import { useEffect, useRef } from 'react'
import { reportFailure } from '../../data/trouble.ts'

/** Null: nothing, or something that the line tells of, and that passes. */
export function useSessionTrouble(id: string): ClientError | null {
  const error = useSession(id, (state) => state.error)
  // One from before, such as the end of the last login, is old.
  const known = useRef(error)
  useEffect(() => {
    if (error !== null && error !== known.current) reportFailure(error)
    known.current = error
  }, [error])
  return error === null || error.isPassing || error.code === 'BAD_RESPONSE' ? null : error
}
