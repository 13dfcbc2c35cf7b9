/** Whom a fact is shown from now on. */
import { useState } from 'react'
import { queryClient } from '../../../data/query-client.ts'
import { useChange } from '../../../data/use-change.ts'
import { keyOf } from '../../../data/use-read.ts'
import { FactDocument, FactsDocument, SetFactScopeDocument, type FactScope } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { SelectField, TextField } from '../../../ui/controls/field.tsx'
import { Problem } from '../../../ui/feedback/problem.tsx'
import type { ShownFact } from './shown-fact.ts'

const SCOPES: Readonly<Record<FactScope, string>> = {
  GLOBAL: 'Everybody',
  PROJECT: 'Sessions of a project',
  USER: 'One user',
  SESSION: 'One session',
}
const OF = { PROJECT: 'The project', USER: 'The user', SESSION: 'The id of the session' } as const

export function ScopeDialog({ fact, onClose }: { readonly fact: ShownFact; readonly onClose: () => void }) {
  const [scope, setScope] = useState<FactScope>('GLOBAL')
  const [of, setOf] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const { send, isSending } = useChange(SetFactScopeDocument, (data) => data.setFactScopes)
  const save = async (): Promise<void> => {
    setProblem(null)
    const chosen = scope === 'GLOBAL' ? { scope } : { scope, of: of.trim() }
    const result = (await send({ input: { ids: [fact.id], scope: chosen } }))?.results[0]?.result
    if (result === undefined) return
    if ('problem' in result) return setProblem(result.problem)
    for (const read of [FactsDocument, FactDocument]) void queryClient.invalidateQueries({ queryKey: keyOf(read) })
    onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" kind="main" isBusy={isSending} disabled={scope !== 'GLOBAL' && of.trim() === ''}>
        Save
      </Button>
    </>
  )
  return (
    <Dialog title="Whom it is shown" isOpen onClose={onClose} onSubmit={() => void save()} actions={actions}>
      <p className="foreign soft">{fact.content}</p>
      <SelectField label="Shown to" value={scope} onChange={(event) => setScope(event.target.value as FactScope)}>
        {Object.entries(SCOPES).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {scope !== 'GLOBAL' && (
        <TextField label={OF[scope]} maxLength={200} value={of} onChange={(event) => setOf(event.target.value)} />
      )}
      {problem !== null && <Problem>{problem}</Problem>}
    </Dialog>
  )
}
