/** Changes how a session is set up. What is left as it was is not sent. */
import { useState } from 'react'
import { useChange } from '../../../data/use-change.ts'
import {
  SessionDetailsDocument,
  SessionPageDocument,
  UpdateSessionDocument,
  type SessionMode,
} from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { SelectField, TextAreaField, TextField } from '../../../ui/controls/field.tsx'
import type { Details } from './details.ts'

interface SetUpProps {
  readonly session: Details
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function SetUp({ session, isOpen, onClose }: SetUpProps) {
  const [changed, setChanged] = useState<Partial<Record<Name, string>>>({})
  const { send, isSending } = useChange(UpdateSessionDocument, ({ updateSession }) => updateSession, [
    SessionDetailsDocument,
    SessionPageDocument,
  ])
  const close = (): void => {
    setChanged({})
    onClose()
  }
  const save = async (): Promise<void> => {
    const { mode, ...texts } = changed
    // An empty text takes the value away.
    const given = Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, text.trim() === '' ? null : text.trim()]),
    )
    const input = { id: session.id, ...given, ...(mode === undefined ? {} : { mode: mode as SessionMode }) }
    if ((await send({ input })) !== null) close()
  }
  const field = (name: Name) => ({
    value: changed[name] ?? session[name] ?? '',
    onChange: (event: { readonly target: { readonly value: string } }) =>
      setChanged((before) => ({ ...before, [name]: event.target.value })),
  })
  return (
    <Dialog
      title="Change the session"
      isOpen={isOpen}
      onClose={close}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="main" type="submit" isBusy={isSending}>
            Save
          </Button>
        </>
      }
    >
      <TextField label="What it is about" maxLength={1000} {...field('description')} />
      <SelectField label="How it works" hint="From the next message on." {...field('mode')}>
        <option value="PLAN">Plan</option>
        <option value="CHAT">Chat</option>
      </SelectField>
      <TextField label="Model" placeholder="As the server is set up" {...field('model')} />
      <TextAreaField label="Instructions" maxLength={8000} {...field('instructions')} />
      <TextField label="Time zone" placeholder="As the server is set up" {...field('timeZone')} />
      <TextField
        label="Webhook"
        type="url"
        placeholder="https://…"
        hint="The agent's answers are posted to this address."
        {...field('webhook')}
      />
    </Dialog>
  )
}

type Name = 'description' | 'mode' | 'model' | 'instructions' | 'timeZone' | 'webhook'
