/** The turns that took or cost most, each with a way to its session. */
import { Link } from 'wouter'
import { useAddressedChoice } from '../../app/use-addressed.ts'
import { useRead } from '../../data/use-read.ts'
import { RankedTurnsDocument, type TurnRanking } from '../../generated/graphql.ts'
import { SelectField } from '../../ui/controls/field.tsx'
import { Card } from '../../ui/display/card.tsx'
import { Duration } from '../../ui/display/time.tsx'
import { countText } from '../../ui/display/time-text.ts'
import { amountText } from './amount-text.ts'

interface RankedTurnsProps {
  readonly span: { readonly from: string; readonly to: string }
}

export function RankedTurns({ span }: RankedTurnsProps) {
  const [by, setBy] = useAddressedChoice<TurnRanking>('turns', ['DURATION', 'COST', 'TOKENS'])
  const { data } = useRead(RankedTurnsDocument, { by, ...span }, { keepPrevious: true })
  const turns = data?.rankedTurns ?? []
  const choose = (
    <SelectField
      label="Which turns"
      isLabelUnseen
      value={by}
      onChange={(event) => setBy(event.target.value as TurnRanking)}
    >
      <option value="DURATION">Slowest</option>
      <option value="COST">Dearest</option>
      <option value="TOKENS">Most tokens</option>
    </SelectField>
  )
  return (
    <Card title="Turns" actions={choose}>
      {data !== undefined && turns.length === 0 && <p className="soft">No turn of this period has that figure.</p>}
      <ol className="usage-turns">
        {turns.map(({ id, session, message, durationMs, usage }) => (
          <li key={id} className="pick-line">
            <Link href={`/sessions/${encodeURIComponent(session.id)}?turn=${id}`} className="cut foreign usage-message">
              {message.content}
            </Link>
            <span className="small faint foreign">{message.user}</span>
            <span className="small push">
              {durationMs !== null && <Duration ms={durationMs} />} ·{' '}
              {countText(usage.inputTokens + usage.outputTokens)} tokens
              {usage.cost !== null && ` · ${amountText(Number(usage.cost.amount), 'cost', usage.cost.currency)}`}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
