/** Whether a day of the audit is as it was sealed, and the newest hash, to be kept elsewhere. */
import { useState } from 'react'
import { useRead } from '../../data/use-read.ts'
import { AuditCheckDocument } from '../../generated/graphql.ts'
import { TextField } from '../../ui/controls/field.tsx'
import { Badge } from '../../ui/display/badge.tsx'
import { CopyId } from '../../ui/display/copy-id.tsx'
import { countText } from '../../ui/display/time-text.ts'

const today = (): string => new Date().toISOString().slice(0, 10)

export function ChainState() {
  const [day, setDay] = useState(today)
  const { data, error } = useRead(AuditCheckDocument, { at: `${day}T00:00:00.000Z` }, { enabled: day !== '' })
  const check = data?.auditCheck
  return (
    <div className="audit-chain">
      <TextField
        label="Day (UTC)"
        isLabelUnseen
        type="date"
        max={today()}
        value={day}
        onChange={(event) => setDay(event.target.value)}
      />
      {error !== null && <span className="foreign">{error.message}</span>}
      {check != null && (
        <>
          <Badge tone={check.problem === null ? (check.complete ? 'good' : 'warn') : 'bad'}>
            {check.problem === null ? (check.complete ? 'intact' : 'intact so far') : 'not intact'}
          </Badge>
          <span className="small soft">
            {`${countText(check.entryCount)} entries under ${countText(check.sealCount)} seals`}
            {check.lateCount > 0 && `, ${countText(check.lateCount)} not sealed yet`}
          </span>
          {check.head !== null && (
            <CopyId id={check.head.hash} label={`seal ${check.head.number}: ${check.head.hash.slice(0, 12)}…`} />
          )}
          {check.problem !== null && <p className="audit-problem foreign">{check.problem}</p>}
        </>
      )}
    </div>
  )
}
