/** Factotum in React 18 and later: "@factotum/client/react". */
export { FactotumProvider, useClient } from './factotum-provider.ts'
export { useConnection } from './use-connection.ts'
export { useApprovals, useFacts, useLearnings, useSessions, type UsedList } from './use-lists.ts'
export { useSession, useSessionStore, type UsedSession } from './use-session.ts'
