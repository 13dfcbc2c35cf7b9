import { CopilotKitProvider, HttpAgent } from '@copilotkit/react-core/v2'
import '@copilotkit/react-core/v2/styles.css'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat'

const url: string = import.meta.env.VITE_FACTOTUM_URL ?? 'http://127.0.0.1:4000'

/** No runtime in between: the server speaks CopilotKit's own protocol, AG-UI. */
function App() {
  const [agents, setAgents] = useState<Record<string, HttpAgent> | null>(null)
  const enter = (token: string) =>
    setAgents({ default: new HttpAgent({ url: `${url}/agui`, headers: { authorization: `Bearer ${token}` } }) })
  if (agents !== null)
    return (
      <CopilotKitProvider agents__unsafe_dev_only={agents} enableInspector={false}>
        <Chat />
      </CopilotKitProvider>
    )
  return (
    <form action={(data) => enter(data.get('token') as string)}>
      <input name="token" type="password" placeholder="Token" aria-label="Token" /> <button>Enter</button>
    </form>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
