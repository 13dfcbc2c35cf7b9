/** All sessions that the viewer may see, newest activity first; or what was said in them, by its words. */
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useAddressedChoice, useAddressedText } from '../../app/use-addressed.ts'
import { useRead } from '../../data/use-read.ts'
import { SessionCountDocument, type SessionFilter } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SearchField, SelectField } from '../../ui/controls/field.tsx'
import { KeyHints } from '../../ui/display/key-hints.tsx'
import { useListKeys } from '../../ui/display/use-list-keys.ts'
import { VirtualList } from '../../ui/display/virtual-list.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { FoundList } from './found-list.tsx'
import { NewSession } from './new-session.tsx'
import { filterOf, SHOWN, shownOf } from './session-filter.ts'
import { SessionRow } from './session-row.tsx'
import { useLiveSessions } from './use-live-sessions.ts'
import './sessions.css'

const MOST_COUNTED = 1000

export function ListPage() {
  const [search, setSearch] = useSearchParams()
  const [isOpening, setIsOpening] = useState(false)
  const [where, setWhere] = useAddressedChoice('in', ['titles', 'said'])
  const filter = filterOf(search)
  const text = filter.search ?? ''
  const isSaid = text !== '' && where === 'said'
  useKeys({ n: () => setIsOpening(true) })
  useListKeys()
  return (
    <div className="page">
      <Head filter={filter} isSaid={isSaid} onOpen={() => setIsOpening(true)} />
      {text !== '' && <Where value={where} onChange={setWhere} />}
      {isSaid ? (
        <div className="sessions-list">
          <FoundList search={text} />
        </div>
      ) : (
        <SessionList
          filter={filter}
          onOpen={() => setIsOpening(true)}
          onShowAll={() => setSearch({})}
          onSearchSaid={() => setWhere('said')}
        />
      )}
      <footer className="page-foot">
        <KeyHints keys={KEYS} />
      </footer>
      <NewSession isOpen={isOpening} onClose={() => setIsOpening(false)} />
    </div>
  )
}

const PLACES = [
  ['titles', 'Titles'],
  ['said', 'What was said'],
] as const

type Place = (typeof PLACES)[number][0]

function Where({ value, onChange }: { readonly value: Place; readonly onChange: (value: Place) => void }) {
  return (
    <nav className="sessions-where" aria-label="Where to search">
      {PLACES.map(([place, label]) => (
        <button key={place} type="button" aria-pressed={value === place} onClick={() => onChange(place)}>
          {label}
        </button>
      ))}
    </nav>
  )
}

interface SessionListProps extends Omit<NoSessionsProps, 'isFiltered' | 'search'> {
  readonly filter: SessionFilter
}

function SessionList({ filter, ...rest }: SessionListProps) {
  const sessions = useLiveSessions(filter)
  return (
    <>
      {sessions.error !== null && <ErrorLine>{sessions.error.message}</ErrorLine>}
      <div className="sessions-list">
        {sessions.isLoading ? (
          <Pending what="the sessions" />
        ) : sessions.rows.length === 0 ? (
          <NoSessions isFiltered={Object.keys(filter).length > 0} search={filter.search ?? ''} {...rest} />
        ) : (
          <VirtualList
            label="Sessions"
            rows={sessions.rows}
            keyOf={({ id }) => id}
            rowHeight={57}
            onNearEnd={sessions.loadMore}
            end={sessions.isLoadingMore && <Pending what="more sessions" />}
          >
            {(session) => <SessionRow session={session} />}
          </VirtualList>
        )}
      </div>
    </>
  )
}

const KEYS = [
  ['n', 'new session'],
  ['/', 'search'],
  ['↑ ↓', 'move'],
  ['?', 'all keys'],
] as const

interface HeadProps {
  readonly filter: SessionFilter
  /** What was said is searched, not the sessions. */
  readonly isSaid: boolean
  readonly onOpen: () => void
}

function Head({ filter, isSaid, onOpen }: HeadProps) {
  const { data: count } = useRead(SessionCountDocument, { filter }, { keepPrevious: true, enabled: !isSaid })
  const [typed, setTyped] = useAddressedText('search')
  return (
    <header className="page-head">
      <h1>Sessions {!isSaid && <CountOf count={count?.sessions.totalCount} />}</h1>
      <div className="sessions-search">
        <SearchField
          label="Search sessions"
          value={typed}
          maxLength={200}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      {!isSaid && <StatusField />}
      <Button kind="main" icon="plus" onClick={onOpen}>
        New session
      </Button>
    </header>
  )
}

function StatusField() {
  const [search] = useSearchParams()
  const [, setStatus] = useAddressedText('status')
  return (
    <div className="sessions-status">
      <SelectField
        label="Which sessions"
        isLabelUnseen
        value={shownOf(search)}
        onChange={(event) => setStatus(event.target.value === 'all' ? '' : event.target.value)}
      >
        {Object.entries(SHOWN).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </div>
  )
}

function CountOf({ count }: { readonly count: number | undefined }) {
  if (count === undefined) return null
  return <span className="faint sessions-count">{count >= MOST_COUNTED ? `${MOST_COUNTED}+` : count}</span>
}

interface NoSessionsProps {
  readonly isFiltered: boolean
  readonly search: string
  readonly onOpen: () => void
  readonly onShowAll: () => void
  readonly onSearchSaid: () => void
}

function NoSessions({ isFiltered, search, onOpen, onShowAll, onSearchSaid }: NoSessionsProps) {
  if (isFiltered)
    return (
      <EmptyState
        icon="filter"
        title="No session matches"
        action={
          <span className="sessions-none">
            <Button onClick={onShowAll}>Show all</Button>
            {search !== '' && <Button onClick={onSearchSaid}>Search what was said</Button>}
          </span>
        }
      >
        The search looks for words in descriptions. Sessions that were put aside are shown only when you ask for them.
      </EmptyState>
    )
  return (
    <EmptyState
      icon="sessions"
      title="No session yet"
      action={
        <Button kind="main" icon="plus" onClick={onOpen}>
          New session
        </Button>
      }
    >
      A session is a conversation with the agent that outlives reloads and restarts. Open one and say what is to be
      done.
    </EmptyState>
  )
}
