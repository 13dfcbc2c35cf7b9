/** Approving something else than was asked for: the command, or the arguments, with what changed beside it. */
import { useState } from 'react'
import type { ApprovalRowFragment, DecideApprovalInput } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/controls/dialog.tsx'
import { CheckField, TextAreaField, TextField } from '../../ui/controls/field.tsx'
import { Diff } from '../../ui/display/diff.tsx'
import type { Decide } from './use-decide.ts'

interface EditDialogProps extends Decide {
  readonly row: ApprovalRowFragment
  readonly onClose: () => void
}

export function EditDialog({ row, onClose, decide, isDeciding }: EditDialogProps) {
  const before = editable(row)
  const [text, setText] = useState(before)
  const [note, setNote] = useState('')
  const [forSession, setForSession] = useState(false)
  const problem = problemOfText(row, text)
  const approve = async (): Promise<void> => {
    if (problem !== null) return
    const said = note.trim() === '' ? {} : { note: note.trim() }
    const scope = forSession ? ('SESSION' as const) : ('ONCE' as const)
    const decided = await decide([{ id: row.id, approve: true, scope, ...said, ...changeOf(row, { before, text }) }])
    // What was typed stays while it was refused.
    if (decided.size > 0) onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" isBusy={isDeciding} disabled={problem !== null}>
        {text === before ? 'Approve' : 'Approve the changed one'}
      </Button>
    </>
  )
  return (
    <Dialog title="Edit and approve" isWide isOpen onClose={onClose} onSubmit={() => void approve()} actions={actions}>
      <TextAreaField
        label={row.task.type === 'EXEC' ? 'Command' : 'Arguments (JSON)'}
        dir="ltr"
        rows={Math.min(14, Math.max(3, text.split('\n').length + 1))}
        spellCheck={false}
        autoFocus
        error={problem}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {text !== before && (
        <div>
          <div className="field-label">What changes</div>
          <Diff before={before} after={text} isCode />
        </div>
      )}
      <TextField
        label="Note, for the planner and for people"
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <CheckField
        label="Also for what is alike in this session"
        hint="Commands that begin the same way, or the same skill, of the same user."
        checked={forSession}
        onChange={(event) => setForSession(event.target.checked)}
      />
    </Dialog>
  )
}

function editable({ task }: ApprovalRowFragment): string {
  return task.type === 'EXEC' ? task.detail : JSON.stringify(task.args, null, 2)
}

interface Edited {
  readonly before: string
  readonly text: string
}

function changeOf({ task }: ApprovalRowFragment, { before, text }: Edited): Partial<DecideApprovalInput> {
  if (text === before) return {}
  return task.type === 'EXEC' ? { editedDetail: text } : { editedArgs: JSON.parse(text) as unknown }
}

function problemOfText({ task }: ApprovalRowFragment, text: string): string | null {
  if (text.trim() === '') return 'Enter what to run.'
  if (task.type === 'EXEC') return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`
  }
}
