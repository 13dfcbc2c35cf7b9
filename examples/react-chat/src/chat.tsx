import { useClient, useConnection, useSession } from '@factotum/client/react'
import { useState } from 'react'

export function Chat({ id }: { readonly id: string }) {
  const { entries, approvals, turn, isBusy, status, error, hasOlder, loadOlder, send, retry } = useSession(id)
  const connection = useConnection()
  const session = useClient().session(id)
  const [problem, setProblem] = useState('')
  /** A refusal is a value with a problem; what goes wrong on the way is thrown. */
  const run = (result: Promise<object>) =>
    void result.then(
      (done) => setProblem('problem' in done ? String(done.problem) : ''),
      (failure: Error) => setProblem(failure.message),
    )
  if (status === 'failed') return <p role="alert">{error?.message}</p>
  return (
    <main>
      {hasOlder && <button onClick={() => void loadOlder()}>Earlier</button>}
      {entries.map((entry) => (
        <p key={entry.key} className={entry.kind}>
          {entry.content}
          {entry.kind === 'person' && entry.sending?.status === 'FAILED' && (
            <button onClick={() => void retry(entry.key)}>Send again</button>
          )}
        </p>
      ))}
      {isBusy && turn?.plan?.tasks.map((task) => <li key={task.id}>{`${task.detail}: ${task.status}`}</li>)}
      {approvals.map((approval) => (
        <p key={approval.id}>
          {approval.approvalReason}
          <button onClick={() => run(session.approve(approval.id))}>Allow</button>
          <button onClick={() => run(session.deny(approval.id))}>Deny</button>
        </p>
      ))}
      <form action={(data) => void send(data.get('text') as string)}>
        <input name="text" aria-label="Message" autoComplete="off" />
        <button>Send</button>
      </form>
      {isBusy && <button onClick={() => run(session.cancel())}>Stop</button>}
      <input
        type="file"
        aria-label="File"
        onChange={({ target: { files } }) => {
          for (const file of files ?? []) run(session.upload(file.name, file))
        }}
      />
      {problem !== '' && <p role="alert">{problem}</p>}
      <footer>{connection}</footer>
    </main>
  )
}
