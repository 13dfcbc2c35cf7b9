/**
 * A call of a tool, as a form from its JSON schema. It is made by a message in a session of its own, so that the rules
 * for the tool hold as they do for the agent: who may call it, approvals, time limits, the audit.
 */
import { sessionStore } from '@factotum/client'
import { useState } from 'react'
import { goTo } from '../../app/hash-location.ts'
import { client } from '../../data/client.ts'
import { useChange } from '../../data/use-change.ts'
import { OpenSessionDocument, SessionsDocument, type ToolsAndSkillsQuery } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { CheckField } from '../../ui/controls/field.tsx'
import { SchemaField } from './schema-field.tsx'
import { settingsFields, settingsOf } from './settings-fields.ts'

type Tool = ToolsAndSkillsQuery['tools'][number]

interface TryToolDialogProps {
  readonly tool: Tool
  readonly onClose: () => void
}

export function TryToolDialog({ tool, onClose }: TryToolDialogProps) {
  const { name, toolEffect, argsSchema } = tool
  const fields = settingsFields(argsSchema)
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [isMeant, setIsMeant] = useState(toolEffect === 'READ')
  const [problem, setProblem] = useState<string | null>(null)
  const { send, isSending } = useChange(OpenSessionDocument, (result) => result.openSession, [SessionsDocument])
  const call = async (): Promise<void> => {
    const args = argumentsOf(() => settingsOf(fields, texts))
    if (typeof args !== 'string') return setProblem(args.problem)
    const source = { kind: 'web', interactive: true }
    const opened = await send({ input: { description: `A call of ${name}`, mode: 'CHAT', source } })
    if (opened === null) return
    const { id } = opened.session
    void sessionStore(client, id).send(`tool: ${name} ${args}\n${REQUEST}`)
    goTo(`/sessions/${encodeURIComponent(id)}`)
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" icon="play" isBusy={isSending} disabled={!isMeant}>
        Call it
      </Button>
    </>
  )
  return (
    <Dialog title={`Try ${name}`} isWide isOpen onClose={onClose} onSubmit={() => void call()} actions={actions}>
      <p className="foreign soft">{tool.summary}</p>
      {problem !== null && <p className="field-error">{problem}</p>}
      {fields.length === 0 && <p className="soft">It takes no arguments.</p>}
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          note=""
          text={texts[field.name] ?? ''}
          onChange={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
      {toolEffect === 'WRITE' && (
        <CheckField
          label="It may change something, and that is meant"
          checked={isMeant}
          onChange={(event) => setIsMeant(event.target.checked)}
        />
      )}
      <p className="small faint">The agent is asked to make the call, in a session of its own, which is shown then.</p>
    </Dialog>
  )
}

const REQUEST = 'Call this tool once, with exactly these arguments and no other tool, and say what it returned.'

/** As JSON on one line. */
function argumentsOf(read: () => object): string | { readonly problem: string } {
  try {
    return JSON.stringify(read())
  } catch (error) {
    return { problem: `One of these is not JSON: ${(error as Error).message}` }
  }
}
