/**
 * Changes what is to run before it is approved: a command, or the arguments of a call as JSON, with what changed
 * below.
 */
import type { DecideApprovalInput } from '../../../generated/graphql.ts'
import { TextAreaField } from '../../../ui/controls/field.tsx'
import { Diff } from '../../../ui/display/diff.tsx'
import type { Asked } from './asked.ts'

export interface Edit {
  readonly input: Pick<DecideApprovalInput, 'editedDetail' | 'editedArgs'>
  /** Why it cannot be sent so. */
  readonly problem?: string
}

export function textOf({ task }: Asked): string {
  return task.type === 'EXEC' ? task.detail : JSON.stringify(task.args, null, 2)
}

/** What was not changed is approved as it is. */
export function editOf(asked: Asked, edited: string): Edit {
  if (edited === textOf(asked)) return { input: {} }
  if (asked.task.type === 'EXEC') return { input: { editedDetail: edited } }
  try {
    return { input: { editedArgs: JSON.parse(edited) as unknown } }
  } catch {
    return { input: {}, problem: 'This is no JSON yet.' }
  }
}

interface EditWhatProps {
  readonly asked: Asked
  readonly edited: string
  readonly problem: string | null
  readonly onChange: (edited: string) => void
}

export function EditWhat({ asked, edited, problem, onChange }: EditWhatProps) {
  const before = textOf(asked)
  return (
    <div className="approval-edit">
      <TextAreaField
        label={asked.task.type === 'EXEC' ? 'Command' : 'Arguments'}
        dir="ltr"
        rows={Math.min(12, edited.split('\n').length + 1)}
        spellCheck={false}
        autoFocus
        error={problem}
        value={edited}
        onChange={(event) => onChange(event.target.value)}
      />
      {edited !== before && <Diff before={before} after={edited} isCode />}
    </div>
  )
}
