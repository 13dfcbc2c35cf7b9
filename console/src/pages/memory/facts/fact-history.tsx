/** What a fact said before, newest first: each version with what it changed, word by word, and a way back to it. */
import { useChange } from '../../../data/use-change.ts'
import { FactDocument, FactsDocument, RevertFactDocument, UndoChangeDocument } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Diff } from '../../../ui/display/diff.tsx'
import { Time } from '../../../ui/display/time.tsx'
import { Part } from './fact-part.tsx'
import type { ShownFact } from './shown-fact.ts'

export function FactHistory({ fact }: { readonly fact: ShownFact }) {
  const touched = [FactsDocument, FactDocument]
  const revert = useChange(RevertFactDocument, (data) => data.revertFact, touched)
  const undo = useChange(UndoChangeDocument, (data) => data.undoChange, touched)
  const newestFirst = fact.history.toReversed()
  // It is shown to admins alone.
  if (newestFirst.length === 0) return null
  return (
    <Part title="History">
      <ol className="fact-history" reversed>
        {newestFirst.map((one, index) => {
          const before = newestFirst[index + 1]
          return (
            <li key={one.version} value={one.version}>
              <div className="pick-line small faint">
                <strong>{one.change.toLowerCase()}</strong>
                <span className="foreign">{one.changedBy.name}</span>
                <Time at={one.at} />
                {index === 0 && one.version > 1 && one.changeId !== null && (
                  <Button small onClick={() => void undo.send({ changeId: one.changeId ?? '' })}>
                    Undo this change
                  </Button>
                )}
                {fact.viewerCan.revert && one.content !== fact.content && (
                  <Button small onClick={() => void revert.send({ id: fact.id, version: one.version })}>
                    {`Back to version ${one.version}`}
                  </Button>
                )}
              </div>
              <Diff before={before?.content ?? one.content} after={one.content} />
              {one.reason !== null && <p className="small soft foreign">{one.reason}</p>}
            </li>
          )
        })}
      </ol>
    </Part>
  )
}
