/** The figures behind a plot: sums, and each day on demand. */
import { useState } from 'react'
import { Button } from '../../ui/controls/button.tsx'
import { colourOf } from './colours.ts'
import type { Stacks } from './stack-usage.ts'

interface UsageTableProps {
  readonly stacks: Stacks
  readonly amountText: (amount: number) => string
}

export function UsageTable({ stacks, amountText }: UsageTableProps) {
  const [areDaysShown, setAreDaysShown] = useState(false)
  const { days, layers } = stacks
  const sum = layers.reduce((all, { total }) => all + total, 0)
  const shownDays = areDaysShown ? days.map((day, index) => ({ day, index })).toReversed() : []
  return (
    <div className="usage-table" tabIndex={0} role="region" aria-label="Figures">
      <table>
        <thead>
          <tr>
            <th scope="col">{areDaysShown ? 'Day' : 'Sum'}</th>
            {layers.map(({ label }, index) => (
              <th key={label} scope="col" className="foreign">
                <span className="usage-colour" style={{ background: colourOf(index) }} aria-hidden="true" /> {label}
              </th>
            ))}
            <th scope="col">All</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{`${days.length} days`}</th>
            {layers.map(({ label, total }) => (
              <td key={label}>{amountText(total)}</td>
            ))}
            <td>{amountText(sum)}</td>
          </tr>
          {shownDays.map(({ day, index }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {layers.map(({ label, amounts }) => (
                <td key={label}>{amountText(amounts[index] ?? 0)}</td>
              ))}
              <td>{amountText(layers.reduce((all, { amounts }) => all + (amounts[index] ?? 0), 0))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button small kind="quiet" aria-expanded={areDaysShown} onClick={() => setAreDaysShown(!areDaysShown)}>
        {areDaysShown ? 'Sums alone' : 'Each day'}
      </Button>
    </div>
  )
}
