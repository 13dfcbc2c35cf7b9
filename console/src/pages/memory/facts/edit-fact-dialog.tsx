/**
 * Rewriting a fact. When it was changed meanwhile, that is shown beside what was typed, and saving again overwrites
 * what has been seen then.
 */
import { useState } from 'react'
import { run } from '../../../data/client.ts'
import { queryClient } from '../../../data/query-client.ts'
import { problemOf } from '../../../data/use-change.ts'
import { keyOf } from '../../../data/use-read.ts'
import { EditFactDocument, FactDocument, FactsDocument } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { TextAreaField } from '../../../ui/controls/field.tsx'
import { Diff } from '../../../ui/display/diff.tsx'
import type { ShownFact } from './shown-fact.ts'

interface EditFactDialogProps {
  readonly fact: ShownFact
  readonly onClose: () => void
}

interface Seen {
  readonly content: string
  readonly version: number
}

export function EditFactDialog({ fact, onClose }: EditFactDialogProps) {
  const [content, setContent] = useState(fact.content)
  // What the page shows goes on meanwhile: what was seen here first is what counts.
  const [firstVersion] = useState(fact.version)
  const [seen, setSeen] = useState<Seen>({ content: fact.content, version: fact.version })
  const [problem, setProblem] = useState<string | null>(null)
  const [isSending, setIsSending] = useState(false)
  const send = async (): Promise<void> => {
    setIsSending(true)
    const refused = await editFact({ id: fact.id, content: content.trim(), version: seen.version })
    setIsSending(false)
    if (refused === null) return onClose()
    setProblem(refused.problem)
    if (refused.current !== null) setSeen(refused.current)
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button
        type="submit"
        kind="main"
        isBusy={isSending}
        disabled={content.trim() === '' || content.trim() === seen.content}
      >
        {seen.version === firstVersion ? 'Save' : 'Save over that'}
      </Button>
    </>
  )
  return (
    <Dialog title="Edit the fact" isWide isOpen onClose={onClose} onSubmit={() => void send()} actions={actions}>
      <TextAreaField
        label="What it says"
        maxLength={2000}
        error={problem}
        value={content}
        onChange={(event) => setContent(event.target.value)}
      />
      {content !== seen.content && (
        <div>
          <div className="field-label">
            {seen.version === firstVersion ? 'What changes' : 'Changes to its current text'}
          </div>
          <Diff before={seen.content} after={content} />
        </div>
      )}
    </Dialog>
  )
}

interface Refused {
  readonly problem: string
  /** What it says by now, when that is why. */
  readonly current: Seen | null
}

/** Null: it is saved. */
async function editFact(input: { id: string; content: string; version: number }): Promise<Refused | null> {
  try {
    const { editFact: result } = await run(EditFactDocument, { input })
    for (const read of [FactsDocument, FactDocument]) void queryClient.invalidateQueries({ queryKey: keyOf(read) })
    if (result.__typename === 'EditFactPayload') return null
    const isStale = result.__typename === 'ConflictRefusal' && result.reason === 'STALE_VERSION'
    const current = isStale && result.current?.__typename === 'Fact' ? result.current : null
    return { problem: result.problem, current }
  } catch (error) {
    return { problem: problemOf(error), current: null }
  }
}
