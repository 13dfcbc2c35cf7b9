/** A call of a tool, as a form from its JSON schema. It is made in a session of its own, and then shown as it goes. */
import { useState } from 'react'
import { useChange } from '../../data/use-change.ts'
import {
  CallToolDocument,
  OpenSessionDocument,
  SessionsDocument,
  type ToolsAndSkillsQuery,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { CheckField } from '../../ui/controls/field.tsx'
import { Problem } from '../../ui/feedback/problem.tsx'
import { CalledTool, type ToolCall } from './called-tool.tsx'
import { SchemaField } from './schema-field.tsx'
import { settingsFields, settingsOf } from './settings-fields.ts'

type Tool = ToolsAndSkillsQuery['tools'][number]

interface TryToolDialogProps {
  readonly tool: Tool
  readonly onClose: () => void
}

export function TryToolDialog({ tool, onClose }: TryToolDialogProps) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const { call, called, forget, isCalling, problem } = useCall(tool.name)
  const fields = settingsFields(tool.argsSchema)
  const [isMeant, setIsMeant] = useState(tool.toolEffect === 'READ')
  if (called !== null) return <CalledTool name={tool.name} call={called} onAgain={forget} onClose={onClose} />
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" icon="play" isBusy={isCalling} disabled={!isMeant}>
        Call it
      </Button>
    </>
  )
  const submit = (): void => void call(() => settingsOf(fields, texts))
  return (
    <Dialog title={`Try ${tool.name}`} isWide isOpen onClose={onClose} onSubmit={submit} actions={actions}>
      <p className="foreign soft">{tool.summary}</p>
      {problem !== null && <Problem>{problem}</Problem>}
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
      {tool.toolEffect === 'WRITE' && (
        <CheckField
          label="It may change something; run it anyway"
          checked={isMeant}
          onChange={(event) => setIsMeant(event.target.checked)}
        />
      )}
      <p className="small faint">
        It is called as you, in a session of its own, by the rules that hold for the agent. No model is asked.
      </p>
    </Dialog>
  )
}

interface Calling {
  /** `args` throws SyntaxError where one is no JSON. */
  readonly call: (args: () => object) => Promise<void>
  readonly called: ToolCall | null
  /** Back to the form. */
  readonly forget: () => void
  readonly isCalling: boolean
  readonly problem: string | null
}

/** All calls of one form are made in one session, which is opened with the first. */
function useCall(tool: string): Calling {
  const [opened, setOpened] = useState<string | null>(null)
  const [called, setCalled] = useState<ToolCall | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const opening = useChange(OpenSessionDocument, (result) => result.openSession, [SessionsDocument])
  const calling = useChange(CallToolDocument, (result) => result.callTool)
  const open = async (): Promise<string | null> => {
    const source = { kind: 'web', interactive: true }
    const made = await opening.send({ input: { description: `A call of ${tool}`, mode: 'CHAT', source } })
    setOpened(made?.session.id ?? null)
    return made?.session.id ?? null
  }
  const call = async (read: () => object): Promise<void> => {
    const args = argumentsOf(read)
    setProblem('problem' in args ? args.problem : null)
    if ('problem' in args) return
    const sessionId = opened ?? (await open())
    if (sessionId === null) return
    const idempotencyKey = crypto.randomUUID()
    const made = await calling.send({ input: { sessionId, tool, args: args.args, idempotencyKey } })
    const turnId = made?.message.turn?.id
    if (turnId !== undefined) setCalled({ sessionId, turnId })
  }
  return { call, called, forget: () => setCalled(null), isCalling: opening.isSending || calling.isSending, problem }
}

function argumentsOf(read: () => object): { readonly args: object } | { readonly problem: string } {
  try {
    return { args: read() }
  } catch (error) {
    return { problem: `One of these is not JSON: ${(error as Error).message}` }
  }
}
