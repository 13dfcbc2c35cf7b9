/** What model calls cost: by day and model, role or user, what budgets leave, and the turns that took most. */
import { useCallback, useMemo } from 'react'
import { useAddressedChoice } from '../../app/use-addressed.ts'
import { useRead } from '../../data/use-read.ts'
import { UsageByDayDocument, type UsageSplit } from '../../generated/graphql.ts'
import { SelectField } from '../../ui/controls/field.tsx'
import { Card } from '../../ui/display/card.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorLine } from '../../ui/feedback/error-line.tsx'
import { Pending } from '../../ui/feedback/pending.tsx'
import { unpricedText } from '../../../../src/core/unpriced.ts'
import { amountText } from './amount-text.ts'
import { Budgets } from './budgets.tsx'
import { CsvButton } from './csv-button.tsx'
import { RankedTurns } from './ranked-turns.tsx'
import { lastDays, stackUsage, type Measure } from './stack-usage.ts'
import { StackedPlot } from './stacked-plot.tsx'
import { UsageTable } from './usage-table.tsx'
import './usage.css'
import '../../ui/picking/picking.css'

const SPLITS = ['MODEL', 'PROVIDER', 'ROLE', 'USER', 'SESSION'] as const satisfies readonly UsageSplit[]
const MEASURES = ['tokens', 'cost', 'calls'] as const satisfies readonly Measure[]
const DAYS = ['30', '7', '90', '365'] as const

export default function UsagePage() {
  const [count, setCount] = useAddressedChoice('days', DAYS)
  const [by, setBy] = useAddressedChoice('by', SPLITS)
  const [measure, setMeasure] = useAddressedChoice('measure', MEASURES)
  const days = useMemo(() => lastDays(Number(count), new Date()), [count])
  const span = { from: `${days[0]}T00:00:00Z`, to: endOf(days.at(-1) ?? '') }
  return (
    <div className="page">
      <header className="page-head">
        <h1>Usage</h1>
        <SelectField
          label="Split by"
          isLabelUnseen
          value={by}
          onChange={(event) => setBy(event.target.value as (typeof SPLITS)[number])}
        >
          {SPLITS.map((value) => (
            <option key={value} value={value}>{`By ${value.toLowerCase()}`}</option>
          ))}
        </SelectField>
        <SelectField
          label="Measure"
          isLabelUnseen
          value={measure}
          onChange={(event) => setMeasure(event.target.value as Measure)}
        >
          <option value="tokens">Tokens</option>
          <option value="cost">Cost</option>
          <option value="calls">Calls</option>
        </SelectField>
        <SelectField
          label="Days"
          isLabelUnseen
          value={count}
          onChange={(event) => setCount(event.target.value as (typeof DAYS)[number])}
        >
          {DAYS.toSorted((one, other) => Number(one) - Number(other)).map((value) => (
            <option key={value} value={value}>{`${value} days`}</option>
          ))}
        </SelectField>
      </header>
      <div className="page-body page-padded usage">
        <ByDay days={days} by={by} measure={measure} span={span} />
        <Budgets />
        <RankedTurns span={span} />
      </div>
    </div>
  )
}

export interface Span {
  readonly from: string
  readonly to: string
}

interface ByDayProps {
  readonly days: readonly string[]
  readonly by: UsageSplit
  readonly measure: Measure
  readonly span: Span
}

function ByDay({ days, by, measure, span }: ByDayProps) {
  const { data, error, isPending } = useRead(UsageByDayDocument, { by, ...span }, { keepPrevious: true })
  const rows = data?.usageByDay
  const stacks = useMemo(() => stackUsage(rows ?? [], measure, days), [rows, measure, days])
  const unpriced = measure === 'cost' ? unpricedText(data?.models ?? []) : null
  const currency = rows?.find(({ usage }) => usage.cost !== null)?.usage.cost?.currency ?? null
  const text = useCallback((amount: number) => amountText(amount, measure, currency), [measure, currency])
  if (error !== null) return <ErrorLine>{error.message}</ErrorLine>
  if (isPending) return <Pending what="the usage" />
  if (stacks.layers.every(({ total }) => total === 0))
    return (
      <EmptyState icon="usage" title={measure === 'cost' ? 'Nothing with a price' : 'No model was called'}>
        {measure === 'cost'
          ? 'Costs come from the prices that config.toml gives for a model; choose tokens to see those.'
          : 'Model calls are counted as they are made. Choose more days, or send a message.'}
      </EmptyState>
    )
  return (
    <Card
      title={`${measure === 'cost' ? 'Cost' : measure === 'calls' ? 'Calls' : 'Tokens'} by day (UTC)`}
      actions={<CsvButton by={by} days={days} span={span} />}
    >
      <StackedPlot stacks={stacks} amountText={text} label="The figures of the table below, stacked day by day" />
      <UsageTable stacks={stacks} amountText={text} />
      {unpriced !== null && <p className="soft foreign">{unpriced}</p>}
    </Card>
  )
}

function endOf(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString()
}
