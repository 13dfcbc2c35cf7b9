/** What model calls cost in a time, one line for each key, as a file for a spreadsheet. */
import { useState } from 'react'
import { usageCsv } from '../../../../src/core/usage-csv.ts'
import { run } from '../../data/client.ts'
import { problemOf } from '../../data/use-change.ts'
import { UsageForCsvDocument, type UsageSplit } from '../../generated/graphql.ts'
import { Button } from '../../ui/controls/button.tsx'
import { saveFile } from '../../ui/display/save-file.ts'
import { notify } from '../../ui/feedback/toasts.ts'

/** What the API gives at most. */
const MOST = 500

interface CsvButtonProps {
  readonly by: UsageSplit
  readonly days: readonly string[]
  readonly span: { readonly from: string; readonly to: string }
}

export function CsvButton({ by, days, span }: CsvButtonProps) {
  const [isBusy, setIsBusy] = useState(false)
  const save = async (): Promise<void> => {
    setIsBusy(true)
    try {
      const head = { by: by.toLowerCase(), from: days[0] ?? '', to: days.at(-1) ?? '' }
      const rows = (await run(UsageForCsvDocument, { by, ...span })).usage ?? []
      const content = new Blob([usageCsv(head, rows)], { type: 'text/csv' })
      saveFile(`usage-by-${head.by}-${head.from}-${head.to}.csv`, content)
      const more = rows.length < MOST ? '' : ' There may be more; choose fewer days.'
      notify({ tone: 'good', text: `${rows.length} lines saved.${more}` })
    } catch (error) {
      notify({ tone: 'bad', text: problemOf(error) })
    }
    setIsBusy(false)
  }
  return (
    <Button icon="download" isBusy={isBusy} onClick={() => void save()}>
      CSV
    </Button>
  )
}
