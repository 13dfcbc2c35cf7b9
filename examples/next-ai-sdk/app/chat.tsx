import { useChat } from '@ai-sdk/react'
import type { FactotumChatTransport } from '@factotum/client/ai-sdk'
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'

/** `id`: a session of that name, in the name space of the token's user. `resume` takes up a turn that runs. */
export function Chat({ transport }: { readonly transport: FactotumChatTransport }) {
  const { messages, sendMessage, status, stop, error, addToolApprovalResponse } = useChat({
    id: 'next',
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  return (
    <main>
      {messages.map(({ id, role, parts }) => (
        <div key={id} className={role}>
          {parts.map((part, index) => {
            if (part.type === 'text') return <p key={index}>{part.text}</p>
            if (!isToolUIPart(part)) return null
            return (
              <p key={index}>
                {`${part.type}: ${part.state}`}
                {part.state === 'approval-requested' && (
                  <button onClick={() => addToolApprovalResponse({ id: part.approval.id, approved: true })}>
                    Allow
                  </button>
                )}
              </p>
            )
          })}
        </div>
      ))}
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form action={(data) => void sendMessage({ text: data.get('text') as string })}>
        <input name="text" aria-label="Message" autoComplete="off" /> <button>Send</button>
      </form>
      {status !== 'ready' && <button onClick={() => stop()}>Stop</button>}
    </main>
  )
}
