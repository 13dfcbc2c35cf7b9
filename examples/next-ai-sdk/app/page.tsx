'use client'

import { connect } from '@factotum/client'
import { FactotumChatTransport, type SaidMessage } from '@factotum/client/ai-sdk'
import { useState } from 'react'
import { Chat } from './chat'

const url = process.env.NEXT_PUBLIC_FACTOTUM_URL ?? 'http://127.0.0.1:4000'
/** A session of that name, in the name space of the token's user. */
const id = 'next'

export default function Page() {
  const [begun, setBegun] = useState<{ transport: FactotumChatTransport; messages: SaidMessage[] } | null>(null)
  const [problem, setProblem] = useState('')
  const enter = async (token: string) => {
    try {
      const transport = new FactotumChatTransport({ client: connect({ url, token }) })
      setBegun({ transport, messages: await transport.history(id) })
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  if (begun !== null) return <Chat id={id} {...begun} />
  return (
    <form action={(data) => enter(data.get('token') as string)}>
      <input name="token" type="password" aria-label="Token" placeholder="Token" /> <button>Enter</button>
      {problem !== '' && <p role="alert">{problem}</p>}
    </form>
  )
}
