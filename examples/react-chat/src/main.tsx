import { connect, type FactotumClient } from '@factotum/client'
import { FactotumProvider } from '@factotum/client/react'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat'

const url: string = import.meta.env.VITE_FACTOTUM_URL ?? 'http://127.0.0.1:4000'

/** The session is named behind the "#": reloading the page, or opening its address elsewhere, shows the same one. */
function App() {
  const [open, setOpen] = useState<{ client: FactotumClient; id: string } | null>(null)
  const [problem, setProblem] = useState('')
  const enter = async (token: string) => {
    const client = connect({ url, token })
    const named = decodeURIComponent(location.hash.slice(1))
    try {
      const opened = await client.openSession(named === '' ? {} : { id: named })
      if (opened.__typename !== 'OpenSessionPayload') return setProblem(opened.problem)
      location.hash = encodeURIComponent(opened.session.id)
      setOpen({ client, id: opened.session.id })
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  if (open !== null)
    return (
      <FactotumProvider client={open.client}>
        <Chat id={open.id} />
      </FactotumProvider>
    )
  return (
    <form action={(data) => enter(data.get('token') as string)}>
      <input name="token" type="password" placeholder="Token" aria-label="Token" /> <button>Enter</button>
      {problem !== '' && <p role="alert">{problem}</p>}
    </form>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
