/** The calls of models that a turn made, for admins, each with what was said in it. */
import type { TurnState } from '@factotum/client'
import { useEffect, useState } from 'react'
import { queryClient } from '../../../data/query-client.ts'
import { keyOf, useRead } from '../../../data/use-read.ts'
import { CallTextsDocument, TurnCallsDocument, type TurnCallsQuery } from '../../../generated/graphql.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Dialog } from '../../../ui/controls/dialog.tsx'
import { Badge } from '../../../ui/display/badge.tsx'
import { Duration } from '../../../ui/display/time.tsx'
import { countText } from '../../../ui/display/time-text.ts'
import { Pending } from '../../../ui/feedback/pending.tsx'

type Call = NonNullable<TurnCallsQuery['modelCalls']>['edges'][number]['node']

export function ModelCalls({ turn }: { readonly turn: TurnState }) {
  const [isOpen, setIsOpen] = useState(false)
  const [shown, setShown] = useState<Call | null>(null)
  const { data } = useRead(TurnCallsDocument, { turnId: turn.id }, { enabled: isOpen })
  const { calls: count } = turn.usage
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: keyOf(TurnCallsDocument, { turnId: turn.id }) })
  }, [turn.id, count])
  if (count === 0) return null
  const calls = (data?.modelCalls?.edges ?? []).map(({ node }) => node).toReversed()
  return (
    <details className="calls" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        Model calls <span className="faint">{count}</span>
      </summary>
      <ol className="calls-list">
        {calls.map((call) => (
          <li key={call.id} className="call">
            <span>{call.role}</span>
            <span className="cut foreign faint small">
              {call.provider}:{call.model}
            </span>
            <span className="faint small nowrap">
              {countText(call.inputTokens)} → {countText(call.outputTokens)} · <Duration ms={call.callMs} />
            </span>
            {call.outcome !== 'OK' && <Badge tone="bad">{call.outcome}</Badge>}
            <Button small kind="quiet" onClick={() => setShown(call)}>
              See the prompt
            </Button>
          </li>
        ))}
      </ol>
      <PromptDialog call={shown} onClose={() => setShown(null)} />
    </details>
  )
}

function PromptDialog({ call, onClose }: { readonly call: Call | null; readonly onClose: () => void }) {
  const { data } = useRead(CallTextsDocument, { id: call?.id ?? '' }, { enabled: call !== null })
  const texts = data?.node !== null && data?.node !== undefined && 'texts' in data.node ? data.node.texts : undefined
  return (
    <Dialog
      title={call === null ? '' : `What the ${call.role} was asked`}
      isOpen={call !== null}
      onClose={onClose}
      isWide
    >
      {texts === undefined ? (
        <Pending what="the texts" />
      ) : texts === null ? (
        <p className="soft">The texts of this call are not kept any more (prompt_retention_days, or an erasure).</p>
      ) : (
        <>
          <Text title="System" text={texts.system} />
          <Text title="Prompt" text={texts.prompt} isOpen />
          <Text title="Answer" text={texts.answer ?? 'The call failed.'} isOpen />
        </>
      )}
    </Dialog>
  )
}

function Text({
  title,
  text,
  isOpen = false,
}: {
  readonly title: string
  readonly text: string
  readonly isOpen?: boolean
}) {
  return (
    <details open={isOpen} className="call-text">
      <summary>{title}</summary>
      <pre className="task-code foreign">{text}</pre>
    </details>
  )
}
