import { createContext, createElement, useContext, type ReactElement, type ReactNode } from 'react'
import type { FactotumClient } from '../connect.ts'

const ClientContext = createContext<FactotumClient | null>(null)

/** The client of all hooks below. Make it once, outside of components, with `connect`. */
export function FactotumProvider(props: {
  readonly client: FactotumClient
  readonly children?: ReactNode
}): ReactElement {
  return createElement(ClientContext.Provider, { value: props.client }, props.children)
}

/** The client of the provider above, for what has no hook: `client.run`, `client.session(id)`. */
export function useClient(): FactotumClient {
  const client = useContext(ClientContext)
  if (client === null) throw new Error('There is no <FactotumProvider client={…}> around this component.')
  return client
}
