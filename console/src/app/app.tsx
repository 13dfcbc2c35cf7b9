/** The whole console: who is asking, then the shell with a page in it, or the way in. */
import { FactotumProvider } from '@factotum/client/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Router } from 'wouter'
import { client } from '../data/client.ts'
import { queryClient } from '../data/query-client.ts'
import { useTrouble } from '../data/trouble.ts'
import { useRead } from '../data/use-read.ts'
import { ViewerContext, type Viewer } from '../data/use-viewer.ts'
import { ViewerDocument } from '../generated/graphql.ts'
import { TooltipProvider } from '../ui/controls/tooltip.tsx'
import { Pending } from '../ui/feedback/pending.tsx'
import { ToastRegion } from '../ui/feedback/toast-region.tsx'
import { useHashPath, useHashSearch } from './hash-location.ts'
import { NewToken } from './new-token.tsx'
import { Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { TroubleLine } from './trouble-line.tsx'
import { useLoginCheck } from './use-login-check.ts'

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <FactotumProvider client={client}>
        <TooltipProvider>
          <Router hook={useHashPath} searchHook={useHashSearch}>
            <Entrance />
            <NewToken />
            <ToastRegion />
          </Router>
        </TooltipProvider>
      </FactotumProvider>
    </QueryClientProvider>
  )
}

function Entrance() {
  const trouble = useTrouble()
  useLoginCheck()
  const { data } = useRead(ViewerDocument, {})
  const viewer = useMemo(
    (): Viewer | null => (data === undefined ? null : { ...data.viewer, isAdmin: data.viewer.role === 'ADMIN' }),
    [data],
  )
  if (trouble === 'unauthenticated') return <SignIn wasIn={viewer !== null} />
  if (viewer === null || data === undefined)
    return (
      <>
        <TroubleLine />
        <Pending what="the server" />
      </>
    )
  return (
    <ViewerContext value={viewer}>
      <Shell server={data.server} />
    </ViewerContext>
  )
}
