/** Texts of the agent on their way to webhooks: how each stands, and posting again what was given up. */
import { Link } from 'wouter'
import { useAddressedChoice } from '../../app/use-addressed.ts'
import { queryClient } from '../../data/query-client.ts'
import { useChange } from '../../data/use-change.ts'
import { keyOf, usePages } from '../../data/use-read.ts'
import { useUpdates } from '../../data/use-updates.ts'
import {
  DeliveryUpdatesDocument,
  DeliveryPageDocument,
  RedeliverAllDocument,
  RedeliverDocument,
  type DeliveryRowFragment,
  type DeliveryStatus,
} from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { SelectField } from '../../ui/controls/field.tsx'
import { Status } from '../../ui/display/badge.tsx'
import { CopyId } from '../../ui/display/copy-id.tsx'
import { KeyHints } from '../../ui/display/key-hints.tsx'
import { Time } from '../../ui/display/time.tsx'
import { ListPane } from '../../ui/picking/list-pane.tsx'
import { PickRow } from '../../ui/picking/pick-row.tsx'
import { usePicking } from '../../ui/picking/use-picking.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { notify } from '../../ui/feedback/toasts.ts'
import { countOf } from '../../ui/display/time-text.ts'

const KEYS = [
  ['↑ ↓', 'move'],
  ['r', 'post again'],
] as const

const STATES: readonly (readonly [DeliveryStatus, string])[] = [
  ['PENDING', 'Waiting'],
  ['DEAD', 'Given up'],
  ['DELIVERED', 'Delivered'],
]

export function DeliveryList() {
  const [status, setStatus] = useAddressedChoice<DeliveryStatus | ''>('status', ['', 'PENDING', 'DEAD', 'DELIVERED'])
  const filter = status === '' ? {} : { status: [status] }
  const list = usePages(DeliveryPageDocument, { first: 50, filter }, ({ deliveries }) => deliveries)
  useUpdates(DeliveryUpdatesDocument, {}, () => {
    void queryClient.invalidateQueries({ queryKey: keyOf(DeliveryPageDocument) })
  })
  const { send } = useChange(RedeliverDocument, (data) => data.redeliver, [DeliveryPageDocument])
  const again = ({ id }: DeliveryRowFragment): void => void send({ id })
  const picking = usePicking(list.rows, ({ id }) => id, {
    r: () => picking.chosen.filter(({ viewerCan }) => viewerCan.redeliver).forEach(again),
  })
  return (
    <ListPane
      what="deliveries"
      list={list}
      bar={<Bar status={status} onChange={setStatus} />}
      empty={nothing(status)}
      rowHeight={76}
      foot={<KeyHints keys={KEYS} />}
    >
      {(row) => (
        <PickRow id={row.id} label={row.url} picking={picking} hasBox={false}>
          <DeliveryCard delivery={row} onAgain={() => again(row)} />
        </PickRow>
      )}
    </ListPane>
  )
}

function nothing(status: DeliveryStatus | '') {
  return (
    <EmptyState icon="send" title={status === '' ? 'Nothing is delivered anywhere' : 'No such delivery'}>
      {status === ''
        ? 'The answers in a session with a webhook are posted to it. Set one in the details of a session.'
        : 'Choose all of them to see the others.'}
    </EmptyState>
  )
}

interface BarProps {
  readonly status: DeliveryStatus | ''
  readonly onChange: (status: DeliveryStatus | '') => void
}

function Bar({ status, onChange }: BarProps) {
  const all = useChange(RedeliverAllDocument, (data) => data.redeliverAll, [DeliveryPageDocument])
  const redeliverAll = async (): Promise<void> => {
    const done = await all.send({})
    if (done === null) return
    const { redelivered } = done
    const text = redelivered === 0 ? 'None was given up.' : `${redelivered} will be posted again.`
    notify({ tone: 'good', text })
  }
  return (
    <>
      <SelectField
        label="Which"
        isLabelUnseen
        value={status}
        onChange={(event) => onChange(event.target.value as BarProps['status'])}
      >
        <option value="">All deliveries</option>
        {STATES.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
      <Button icon="retry" isBusy={all.isSending} onClick={() => void redeliverAll()}>
        Post again all that were given up
      </Button>
    </>
  )
}

const TONES = { PENDING: 'busy', DELIVERED: 'good', DEAD: 'bad' } as const
const WORDS = { PENDING: 'waiting', DELIVERED: 'delivered', DEAD: 'given up' } as const

function DeliveryCard({ delivery, onAgain }: { readonly delivery: DeliveryRowFragment; readonly onAgain: () => void }) {
  const { id, status, url, attempts, lastStatusCode, lastError, nextAttemptAt, deliveredAt, session } = delivery
  return (
    <>
      <div className="pick-line">
        <strong className="foreign">{url}</strong>
        <span className="push pick-line">
          {delivery.viewerCan.redeliver && (
            <Button small icon="retry" onClick={onAgain}>
              Post again
            </Button>
          )}
          <Status status={WORDS[status]} tone={TONES[status]} />
        </span>
      </div>
      <p className="small soft pick-line">
        <Link href={`/sessions/${encodeURIComponent(session.id)}`} className="foreign">
          {session.id}
        </Link>
        <span>{countOf(attempts, 'attempt')}</span>
        {lastStatusCode !== null && <span>status {lastStatusCode}</span>}
        {deliveredAt !== null && (
          <span>
            taken <Time at={deliveredAt} />
          </span>
        )}
        {status === 'PENDING' && nextAttemptAt !== null && (
          <span>
            next attempt <Time at={nextAttemptAt} />
          </span>
        )}
        <CopyId id={id} label={`${id.slice(0, 12)}…`} />
      </p>
      {lastError !== null && <p className="small server-problem foreign">{lastError}</p>}
    </>
  )
}
