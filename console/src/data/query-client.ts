/**
 * The cache of what was read. A call that no answer came to is tried again until one does; anything else that goes
 * wrong is shown at once. What is shown stays on the page meanwhile.
 */
import { ClientError } from '@factotum/client'
import { QueryClient } from '@tanstack/react-query'
import { onReturn } from './trouble.ts'

const LONGEST_DELAY_MS = 4000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The server may well be on this machine: whether there is a network says nothing.
      networkMode: 'always',
      retry: (_failures, error) => error instanceof ClientError && error.isPassing,
      retryDelay: (failures) => Math.min(LONGEST_DELAY_MS, 300 * 2 ** failures),
      staleTime: 5000,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

onReturn(() => void queryClient.invalidateQueries())
