import type { Entry, SessionState, SessionStore } from '@factotum/client'
import { useClient, useConnection, useSession, useSessionStore } from '@factotum/client/react'
import { useState } from 'react'

export function Chat({ id }: { readonly id: string }) {
  const { entries, approvals, turn, isBusy, status, error, hasOlder, isLoadingOlder } = useSession(id)
  const store = useSessionStore(id)
  const connection = useConnection()
  const session = useClient().session(id)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState('')
  /** A refusal is a value with a problem; what goes wrong on the way is thrown. */
  const run = (result: Promise<object | null | void>) =>
    void result.then(
      (done) => setProblem(done && 'problem' in done ? String(done.problem) : ''),
      (failure: Error) => setProblem(failure.message),
    )
  /** What is refused was not sent: it goes back to where it can be changed, before what was typed meanwhile. */
  const say = async (sending: ReturnType<typeof store.retry>) => {
    const sent = await sending
    const refused = takeRefused(store)
    setText((typed) => refused + typed)
    return sent
  }
  if (status === 'failed') return <p role="alert">{error?.message}</p>
  return (
    <main>
      {hasOlder && (
        <button disabled={isLoadingOlder} onClick={() => run(store.loadOlder())}>
          Earlier
        </button>
      )}
      {entries.map((entry) => (
        <Said key={entry.key} entry={entry} onRetry={() => run(say(store.retry(entry.key)))} />
      ))}
      {isBusy && turn?.plan?.tasks.map((task) => <li key={task.id}>{`${task.detail}: ${task.status}`}</li>)}
      {approvals.map((approval) => (
        <p key={approval.id}>
          {approval.approvalReason} <WhatRuns {...approval} />
          <button onClick={() => run(session.approve(approval.id))}>Allow</button>
          <button onClick={() => run(session.deny(approval.id))}>Deny</button>
        </p>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setText('')
          run(say(store.send(text)))
        }}
      >
        <input value={text} onChange={({ target }) => setText(target.value)} aria-label="Message" autoComplete="off" />
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
      <footer>{status === 'loading' ? 'loading …' : connection}</footer>
    </main>
  )
}

function Said({ entry, onRetry }: { readonly entry: Entry; readonly onRetry: () => void }) {
  const isFailed = entry.kind === 'person' && entry.sending?.status === 'FAILED'
  return (
    <p className={entry.kind}>
      {entry.content}
      {isFailed && <button onClick={onRetry}>Send again</button>}
    </p>
  )
}

/** Each command or call that the approval lets run: of a whole plan, all of them. */
function WhatRuns({ kind, task }: SessionState['approvals'][number]) {
  const calls = kind === 'PLAN' ? task.plan.tasks.filter(({ type }) => type !== 'MSG') : [task]
  return calls.map(({ detail, skill, tool, args }, index) => (
    <code key={index}>{skill === null && tool === null ? detail : `${skill ?? tool} ${JSON.stringify(args)}`} </code>
  ))
}

function takeRefused(store: SessionStore): string {
  const refused = store
    .getSnapshot()
    .entries.filter((entry) => entry.kind === 'person' && entry.sending?.status === 'REFUSED')
  for (const { key } of refused) store.discard(key)
  return refused.map(({ content }) => content).join('')
}
