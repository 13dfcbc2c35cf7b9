'use client'

import { connect } from '@factotum/client'
import { FactotumChatTransport } from '@factotum/client/ai-sdk'
import { useState } from 'react'
import { Chat } from './chat'

const url = process.env.NEXT_PUBLIC_FACTOTUM_URL ?? 'http://127.0.0.1:4000'

export default function Page() {
  const [transport, setTransport] = useState<FactotumChatTransport | null>(null)
  const enter = (token: string) => setTransport(new FactotumChatTransport({ client: connect({ url, token }) }))
  if (transport !== null) return <Chat transport={transport} />
  return (
    <form action={(data) => enter(data.get('token') as string)}>
      <input name="token" type="password" aria-label="Token" placeholder="Token" /> <button>Enter</button>
    </form>
  )
}
