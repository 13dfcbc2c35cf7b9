/** What can be done with a learning, or with several. Who may not do a thing does not see its button. */
import type { LearningRowFragment } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import type { Picking } from '../../../ui/picking/use-picking.ts'
import { replaceableFacts, waitsToReplace } from './known-facts.ts'
import type { Asking } from './learning-dialog.tsx'

export interface LearningActs {
  /** Of one that would replace a fact, what becomes of that is asked first. */
  readonly promote: (rows: readonly LearningRowFragment[]) => void
  /** Promotes one that would replace a fact, beside it. */
  readonly keepBoth: (row: LearningRowFragment) => void
  /** Promotes, for everybody. */
  readonly widen: (rows: readonly LearningRowFragment[]) => void
  readonly discard: (rows: readonly LearningRowFragment[]) => void
  /** Of the first. */
  readonly ask: (kind: Asking['kind'], rows: readonly LearningRowFragment[]) => void
  readonly reopen: (id: string) => void
}

export function LearningButtons({ row, acts }: { readonly row: LearningRowFragment; readonly acts: LearningActs }) {
  const { viewerCan } = row
  const isReplacing = waitsToReplace(row)
  return (
    <div className="pick-actions">
      {viewerCan.promote && (
        <>
          {isReplacing ? (
            <>
              <Button small kind="main" onClick={() => acts.ask('replace', [row])}>
                Replace
              </Button>
              <Button small onClick={() => acts.keepBoth(row)}>
                Keep both
              </Button>
            </>
          ) : (
            <Button small kind="main" onClick={() => acts.promote([row])}>
              Promote
            </Button>
          )}
          {row.scope !== 'GLOBAL' && (
            <Button small onClick={() => acts.widen([row])}>
              For everybody
            </Button>
          )}
          <Button small onClick={() => acts.ask('edit', [row])}>
            Edit
          </Button>
          {!isReplacing && replaceableFacts(row).length > 0 && (
            <Button small onClick={() => acts.ask('replace', [row])}>
              Replace
            </Button>
          )}
        </>
      )}
      {viewerCan.ask && (
        <Button small onClick={() => acts.ask('ask', [row])}>
          Ask
        </Button>
      )}
      {viewerCan.discard && (
        <Button small kind="danger" onClick={() => acts.discard([row])}>
          Discard
        </Button>
      )}
      {viewerCan.reopen && (
        <Button small onClick={() => acts.reopen(row.id)}>
          Open again
        </Button>
      )}
    </div>
  )
}

interface SeveralProps {
  readonly picking: Picking<LearningRowFragment>
  readonly acts: LearningActs
}

export function SeveralLearnings({ picking, acts }: SeveralProps) {
  const { size } = picking.picked
  return (
    <div className="pick-actions">
      <Button small kind="main" onClick={() => acts.promote(picking.chosen)}>
        {`Promote ${size}`}
      </Button>
      <Button small kind="danger" onClick={() => acts.discard(picking.chosen)}>
        {`Discard ${size}`}
      </Button>
      <Button small kind="quiet" onClick={picking.pickNone}>
        Pick none
      </Button>
    </div>
  )
}
