import { CopilotChat, useDefaultRenderTool, useInterrupt } from '@copilotkit/react-core/v2'

/** Each time the page is opened it begins a thread, which is a session. Approvals are interrupts of AG-UI. */
export function Chat() {
  useDefaultRenderTool()
  useInterrupt({
    render: ({ interrupts, resolve }) => (
      <>
        {interrupts.map(({ id, message }) => (
          <p key={id}>
            {message} <button onClick={() => void resolve({ approved: true }, id)}>Allow</button>{' '}
            <button onClick={() => void resolve({ approved: false }, id)}>Deny</button>
          </p>
        ))}
      </>
    ),
  })
  return (
    <main style={{ height: '100vh' }}>
      <CopilotChat />
    </main>
  )
}
