/** One question whether something may run: approved, denied, changed first, or approved for the session. */
import { useState } from 'react'
import { describeCall } from '../../../../../src/core/plan/what-runs.ts'
import { useChange } from '../../../data/use-change.ts'
import { useRead } from '../../../data/use-read.ts'
import {
  ApprovalCardDocument,
  ApprovalsBelowDocument,
  DecideOneDocument,
  type DecideApprovalInput,
} from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/field.tsx'
import { Badge } from '../../../ui/display/badge.tsx'
import { Code } from '../../../ui/display/code.tsx'
import { KeyHints } from '../../../ui/display/key-hints.tsx'
import { Time } from '../../../ui/display/time.tsx'
import { useKeys } from '../../../ui/keys/use-keys.ts'
import type { Asked } from './asked.ts'
import { editOf, EditWhat, textOf } from './edit-what.tsx'

const TOUCHED = [ApprovalCardDocument, ApprovalsBelowDocument]

const KEYS = [
  ['a', 'approve'],
  ['d', 'deny'],
] as const

interface ApprovalCardProps {
  readonly id: string
  /** Whether `a`, `d` and `e` are its own. */
  readonly hasKeys: boolean
}

export function ApprovalCard({ id, hasKeys }: ApprovalCardProps) {
  const { data } = useRead(ApprovalCardDocument, { id })
  const node = data?.node
  if (node === null || node === undefined || !('kind' in node) || node.status !== 'PENDING') return null
  return <Card asked={node} hasKeys={hasKeys} />
}

function Card({ asked, hasKeys }: { readonly asked: Asked; readonly hasKeys: boolean }) {
  const [edited, setEdited] = useState<string | null>(null)
  const [note, setNote] = useState('')
  const { send, isSending } = useChange(DecideOneDocument, ({ decideApproval }) => decideApproval, TOUCHED)
  const { viewerCan } = asked
  const edit = edited === null ? null : editOf(asked, edited)
  const decide = (part: Pick<DecideApprovalInput, 'approve' | 'scope'>): void => {
    if (isSending || edit?.problem !== undefined) return
    const said = note.trim() === '' ? {} : { note: note.trim() }
    void send({ input: { id: asked.id, ...part, ...said, ...(part.approve ? edit?.input : {}) } })
  }
  const beginEdit = (): void => setEdited((before) => before ?? textOf(asked))
  const ownsKeys = hasKeys && viewerCan.decide
  const keys = { a: () => decide({ approve: true }), d: () => decide({ approve: false }) }
  useKeys(ownsKeys ? { ...keys, ...(viewerCan.edit ? { e: beginEdit } : {}) } : {})
  return (
    <section className="approval" aria-label="Approval">
      <Head asked={asked} />
      {edited === null ? (
        <What asked={asked} />
      ) : (
        <EditWhat asked={asked} edited={edited} problem={edit?.problem ?? null} onChange={setEdited} />
      )}
      {viewerCan.decide ? (
        <Actions
          {...{ asked, note, isSending, decide }}
          isEditing={edited !== null}
          onNote={setNote}
          onEdit={() => (edited === null ? beginEdit() : setEdited(null))}
        />
      ) : (
        <p className="small soft">Others decide this.</p>
      )}
      {ownsKeys && <KeyHints keys={viewerCan.edit ? [...KEYS, ['e', 'edit']] : KEYS} />}
    </section>
  )
}

function Head({ asked }: { readonly asked: Asked }) {
  return (
    <header className="approval-head">
      <Badge tone="warn">{asked.kind === 'PLAN' ? 'The whole plan needs approval' : 'Needs approval'}</Badge>
      <span className="small soft foreign sentence">{asked.reason}</span>
      <span className="small faint approval-expiry">
        expires <Time at={asked.expiresAt} />
      </span>
    </header>
  )
}

interface ActionsProps {
  readonly asked: Asked
  readonly note: string
  readonly isSending: boolean
  readonly isEditing: boolean
  readonly decide: (part: Pick<DecideApprovalInput, 'approve' | 'scope'>) => void
  readonly onNote: (note: string) => void
  readonly onEdit: () => void
}

function Actions({ asked, note, isSending, isEditing, decide, onNote, onEdit }: ActionsProps) {
  return (
    <div className="approval-actions">
      <div className="approval-note">
        <TextField
          label="Note for the planner"
          isLabelUnseen
          placeholder="Note for the planner"
          maxLength={2000}
          value={note}
          onChange={(event) => onNote(event.target.value)}
        />
      </div>
      <Button kind="main" icon="check" isBusy={isSending} onClick={() => decide({ approve: true })}>
        {isEditing ? 'Approve this' : 'Approve'}
      </Button>
      {asked.kind === 'TASK' && !isEditing && (
        <Button disabled={isSending} onClick={() => decide({ approve: true, scope: 'SESSION' })}>
          For the session
        </Button>
      )}
      {asked.viewerCan.edit && (
        <Button icon="edit" onClick={onEdit}>
          {isEditing ? 'Do not edit' : 'Edit'}
        </Button>
      )}
      <Button kind="danger" icon="close" disabled={isSending} onClick={() => decide({ approve: false })}>
        Deny
      </Button>
    </div>
  )
}

function What({ asked }: { readonly asked: Asked }) {
  const { task, kind } = asked
  if (kind === 'PLAN')
    return (
      <ol className="approval-plan">
        {task.plan.tasks.map((one) => (
          <li key={one.id} className="foreign mono small">
            <Code text={one.type === 'MSG' ? `message: ${one.detail}` : describeCall(one)} />
          </li>
        ))}
      </ol>
    )
  return (
    <pre className="task-code foreign">
      <Code
        text={
          task.type === 'EXEC' ? task.detail : `${task.skill ?? task.tool ?? ''} ${JSON.stringify(task.args, null, 2)}`
        }
      />
    </pre>
  )
}
