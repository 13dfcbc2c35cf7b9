/** The facts that stood in a turn's prompts; first those that its models say they relied on. */
import type { TurnState } from '@factotum/client'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { queryClient } from '../../../data/query-client.ts'
import { keyOf, useRead } from '../../../data/use-read.ts'
import { TurnFactsDocument } from '../../../generated/graphql.ts'
import { Badge } from '../../../ui/display/badge.tsx'
import { Pending } from '../../../ui/feedback/pending.tsx'

export function TurnFacts({ turn }: { readonly turn: TurnState }) {
  const [isOpen, setIsOpen] = useState(false)
  const { data } = useRead(TurnFactsDocument, { id: turn.id }, { enabled: isOpen })
  const progress = `${turn.status} ${turn.usage.calls}`
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: keyOf(TurnFactsDocument, { id: turn.id }) })
  }, [turn.id, progress])
  const used = new Set(data?.turn?.factsUsed.map(({ id }) => id))
  const shown = data?.turn?.factsShown ?? []
  const facts = shown.toSorted((a, b) => Number(used.has(b.id)) - Number(used.has(a.id)))
  return (
    <details className="calls" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Facts</summary>
      {data === undefined && <Pending what="the facts" />}
      {data !== undefined && facts.length === 0 && <p className="soft small">None stood in its prompts.</p>}
      <ul aria-label="Facts">
        {facts.map(({ id, number, content, invalidatedAt }) => (
          <li key={id} className="turn-fact">
            <Link href={`/memory/facts/${id}`} className="foreign">
              {`#${number} ${content}`}
            </Link>
            {used.has(id) && <Badge tone="good">relied on</Badge>}
            {invalidatedAt !== null && <Badge>not in use</Badge>}
          </li>
        ))}
      </ul>
    </details>
  )
}
