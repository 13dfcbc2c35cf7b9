/** Opens a session of the viewer's own, and goes there. */
import { useState } from 'react'
import { goTo } from '../../app/hash-location.ts'
import { useChange } from '../../data/use-change.ts'
import { useRead } from '../../data/use-read.ts'
import { ModelsDocument, OpenSessionDocument, SessionsDocument, type SessionMode } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/controls/field.tsx'

const NOTHING = { description: '', mode: '', model: '', instructions: '' }

export function NewSession({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const [input, setInput] = useState(NOTHING)
  const { data } = useRead(ModelsDocument, {}, { enabled: isOpen })
  const { send, isSending } = useChange(OpenSessionDocument, (result) => result.openSession, [SessionsDocument])
  const models = [...new Set(data?.server.models.map(({ provider, model }) => `${provider}:${model}`))]
  const set = (part: Partial<typeof NOTHING>): void => setInput((before) => ({ ...before, ...part }))
  const open = async (): Promise<void> => {
    const opened = await send({ input: { ...givenOf(input), source: { kind: 'web', interactive: true } } })
    if (opened === null) return
    setInput(NOTHING)
    onClose()
    goTo(`/sessions/${encodeURIComponent(opened.session.id)}`)
  }
  return (
    <Dialog
      title="New session"
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={() => void open()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" isBusy={isSending}>
            Open session
          </Button>
        </>
      }
    >
      <Fields input={input} models={models} onChange={set} />
    </Dialog>
  )
}

interface FieldsProps {
  readonly input: typeof NOTHING
  readonly models: readonly string[]
  readonly onChange: (part: Partial<typeof NOTHING>) => void
}

function Fields({ input, models, onChange: set }: FieldsProps) {
  return (
    <>
      <TextField
        label="What it is about"
        placeholder="Optional; written from the conversation if left empty"
        maxLength={1000}
        autoFocus
        value={input.description}
        onChange={(event) => set({ description: event.target.value })}
      />
      <SelectField label="How it works" value={input.mode} onChange={(event) => set({ mode: event.target.value })}>
        <option value="">As the server is set up</option>
        <option value="PLAN">Plan: tasks are planned, run and reviewed, then answered from</option>
        <option value="CHAT">Chat: the model answers, and calls tools as it needs them</option>
      </SelectField>
      <TextAreaField
        label="Instructions"
        placeholder="Optional: further instructions for the agent in this session"
        maxLength={8000}
        value={input.instructions}
        onChange={(event) => set({ instructions: event.target.value })}
      />
      <TextField
        label="Model"
        placeholder="As the server is set up"
        list="models-known"
        hint="provider:model, of a provider of config.toml"
        value={input.model}
        onChange={(event) => set({ model: event.target.value })}
      />
      <datalist id="models-known">
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  )
}

/** What is left empty is as the server has it. */
function givenOf({ description, mode, model, instructions }: typeof NOTHING) {
  return {
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    ...(mode === '' ? {} : { mode: mode as SessionMode }),
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    ...(instructions.trim() === '' ? {} : { instructions: instructions.trim() }),
  }
}
