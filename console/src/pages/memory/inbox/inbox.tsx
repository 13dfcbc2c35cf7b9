/**
 * What was learned and waits for a person, each beside the facts nearest to it. Worked off by keys; each is undone by
 * "u".
 */
import { useDeferredValue, useState, type ReactNode } from 'react'
import { useAddressedChoice, useAddressedText } from '../../../app/use-addressed.ts'
import { queryClient } from '../../../data/query-client.ts'
import { keyOf, usePages, type Pages } from '../../../data/use-read.ts'
import { useUpdates } from '../../../data/use-updates.ts'
import {
  AlikeDocument,
  InboxDocument,
  LearningUpdatesDocument,
  type LearningDecisionInput,
  type LearningFilter,
  type LearningRowFragment,
} from '../../../generated/graphql.ts'
import { SearchField, SelectField } from '../../../ui/controls/field.tsx'
import { KeyHints } from '../../../ui/display/key-hints.tsx'
import { ListPane } from '../../../ui/picking/list-pane.tsx'
import { PickRow } from '../../../ui/picking/pick-row.tsx'
import { useHidden } from '../../../ui/picking/use-hidden.ts'
import { usePicking } from '../../../ui/picking/use-picking.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { notify } from '../../../ui/feedback/toasts.ts'
import { Alike } from './alike.tsx'
import { waitsToReplace } from './known-facts.ts'
import { LearningButtons, SeveralLearnings, type LearningActs } from './learning-buttons.tsx'
import { LearningDialog, type Asking } from './learning-dialog.tsx'
import { LearningCard } from './learning-card.tsx'
import { useCurate, type Curate } from './use-curate.ts'

const KEYS = [
  ['↑ ↓', 'move'],
  ['x', 'pick'],
  ['p', 'promote'],
  ['e', 'edit, then promote'],
  ['r', 'replace a fact'],
  ['a', 'ask'],
  ['w', 'promote for everybody'],
  ['d', 'discard'],
  ['u', 'undo'],
] as const

type Which = 'waiting' | 'alike' | 'refused' | 'decided'
const WHICH: Readonly<Record<Which, LearningFilter>> = {
  waiting: { status: ['PENDING'] },
  alike: { status: ['PENDING'] },
  refused: { status: ['REFUSED'] },
  decided: { status: ['PROMOTED', 'ASKED', 'ANSWERED', 'DISCARDED'] },
}

const nothingWaits = (
  <EmptyState icon="memory" title="Nothing waits here">
    What sessions learn appears here when a person has to decide about it. What waits, and what becomes a fact by
    itself, is set under [curation] in config.toml.
  </EmptyState>
)

/** Where another list than that of what waits is chosen. */
const nothingElse = {
  refused: (
    <EmptyState icon="memory" title="Nothing was refused">
      What says what is known already, or cannot be a fact by its form, is kept here without having been judged.
    </EmptyState>
  ),
  decided: (
    <EmptyState icon="memory" title="Nothing was decided yet">
      What was promoted, asked about or discarded is kept here, by the curator as by people.
    </EmptyState>
  ),
} as const

const nothingFound = (
  <EmptyState icon="filter" title="Nothing matches">
    The search looks for words in what was learned, in the list that is chosen. Try other words, or another list.
  </EmptyState>
)

export function Inbox() {
  const [which, setWhich] = useAddressedChoice('which', ['waiting', 'alike', 'refused', 'decided'])
  const [typed, setTyped] = useAddressedText('search')
  const search = useDeferredValue(typed.trim())
  const filter = { ...WHICH[which], ...(search === '' ? {} : { search }) }
  const list = usePages(InboxDocument, { first: 50, filter }, ({ learnings }) => learnings)
  useUpdates(LearningUpdatesDocument, {}, () => {
    for (const read of [InboxDocument, AlikeDocument]) void queryClient.invalidateQueries({ queryKey: keyOf(read) })
  })
  const { shown, hide, show } = useHidden(list.rows, which === 'alike' ? 'waiting' : which)
  const curate = useCurate({ hide, show })
  const [asking, setAsking] = useState<Asking | null>(null)
  const acts = actsOf(curate, setAsking)
  const bar = (several: ReactNode): ReactNode => (
    <InboxBar typed={typed} onType={setTyped} which={which} onChoose={setWhich}>
      {several}
    </InboxBar>
  )
  const empty =
    search !== '' ? nothingFound : which === 'refused' || which === 'decided' ? nothingElse[which] : nothingWaits
  if (which === 'alike') return <Alike bar={bar(null)} curate={curate} />
  return (
    <>
      <OneByOne list={{ ...list, rows: shown }} bar={bar} empty={empty} acts={acts} undo={curate.undo} />
      {asking !== null && (
        <LearningDialog key={asking.row.id} asking={asking} decide={curate.decide} onClose={() => setAsking(null)} />
      )}
    </>
  )
}

function actsOf({ decide }: Curate, setAsking: (asking: Asking) => void): LearningActs {
  const promote = (rows: readonly LearningRowFragment[], scope: Pick<LearningDecisionInput, 'scope'>): void => {
    const able = rows.filter((row) => row.viewerCan.promote)
    const [first] = able
    // One that would replace a fact is promoted by a choice: alone at once, among others later.
    if (first !== undefined && able.length === 1 && waitsToReplace(first))
      return setAsking({ kind: 'replace', row: first, ...scope })
    const left = able.filter(waitsToReplace).length
    if (left > 0) notify({ tone: 'plain', text: leftText(left) })
    void decide(able.filter((row) => !waitsToReplace(row)).map(({ id }) => ({ id, verdict: 'PROMOTE', ...scope })))
  }
  return {
    promote: (rows) => promote(rows, {}),
    keepBoth: ({ id }) => void decide([{ id, verdict: 'PROMOTE', keepBoth: true }]),
    widen: (rows) => promote(rows, { scope: { scope: 'GLOBAL' } }),
    discard: (rows) => {
      const able = rows.filter((row) => row.viewerCan.discard)
      void decide(able.map(({ id }) => ({ id, verdict: 'DISCARD' })))
    },
    ask: (kind, [row]) => {
      if (row !== undefined) setAsking({ kind, row })
    },
    reopen: (id) => void decide([{ id, verdict: 'REOPEN' }]),
  }
}

function leftText(count: number): string {
  return count === 1
    ? 'One would replace a fact and still waits: say of it whether both are kept.'
    : `${count} would replace facts and still wait: say of each whether both are kept.`
}

interface OneByOneProps {
  readonly list: Pages<LearningRowFragment>
  /** With what can be done with several. */
  readonly bar: (several: ReactNode) => ReactNode
  /** Shown when there is no row. */
  readonly empty: ReactNode
  readonly acts: LearningActs
  readonly undo: () => Promise<void>
}

function OneByOne({ list, bar, empty, acts, undo }: OneByOneProps) {
  const picking = usePicking(list.rows, ({ id }) => id, {
    p: () => acts.promote(picking.chosen),
    w: () => acts.widen(picking.chosen),
    d: () => acts.discard(picking.chosen),
    e: () => acts.ask('edit', picking.chosen),
    r: () => acts.ask('replace', picking.chosen),
    a: () => acts.ask('ask', picking.chosen),
    u: () => void undo(),
  })
  return (
    <ListPane
      what="learnings"
      list={list}
      bar={bar(picking.picked.size > 0 && <SeveralLearnings picking={picking} acts={acts} />)}
      empty={empty}
      rowHeight={130}
      foot={<KeyHints keys={KEYS} />}
    >
      {(row) => (
        <PickRow id={row.id} label={row.content} picking={picking}>
          <LearningCard learning={row} />
          <LearningButtons row={row} acts={acts} />
        </PickRow>
      )}
    </ListPane>
  )
}

interface InboxBarProps {
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly which: Which
  readonly onChoose: (which: Which) => void
  readonly children: ReactNode
}

function InboxBar({ typed, onType, which, onChoose, children }: InboxBarProps) {
  return (
    <>
      <SearchField label="Search what was learned" value={typed} onChange={(event) => onType(event.target.value)} />
      <SelectField
        label="Which"
        isLabelUnseen
        value={which}
        onChange={(event) => onChoose(event.target.value as Which)}
      >
        <option value="waiting">Waiting</option>
        <option value="alike">Alike, together</option>
        <option value="refused">Refused</option>
        <option value="decided">Decided</option>
      </SelectField>
      {children}
    </>
  )
}
