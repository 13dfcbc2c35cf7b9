import { useChat } from '@ai-sdk/react'
import type { FactotumChatTransport } from '@factotum/client/ai-sdk'
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'

interface ChatProps {
  readonly id: string
  readonly transport: FactotumChatTransport
  /** What was said before. `resume` takes up a turn that runs. */
  readonly messages: UIMessage[]
}

export function Chat({ id, transport, messages: before }: ChatProps) {
  const { messages, sendMessage, status, stop, error, addToolApprovalResponse } = useChat({
    id,
    messages: before,
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
