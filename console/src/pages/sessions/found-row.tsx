/** Something that was said, with what was searched for marked in it; it leads to its place in the conversation. */
import { memo } from 'react'
import { Link } from 'wouter'
import type { FoundMatchFragment } from '../../generated/graphql.ts'
import { Time } from '../../ui/display/time.tsx'

const NAMES = { USER: 'unknown', ASSISTANT: 'Agent', SYSTEM: 'Server' } as const

export const FoundRow = memo(function FoundRow({ match }: { readonly match: FoundMatchFragment }) {
  const { session, entry, author, at, excerpt } = match
  return (
    <Link href={`/sessions/${encodeURIComponent(session.id)}?at=${entry.seq}`} className="session-row found-row">
      <span className="session-row-title">
        <strong className="cut foreign">{session.title}</strong>
      </span>
      <span className="session-row-state faint small foreign">{author.name ?? NAMES[author.role]}</span>
      <span className="session-row-said foreign soft" dir="auto">
        {excerpt.map(({ text, isHit }, index) => (isHit ? <mark key={index}>{text}</mark> : text))}
      </span>
      <span className="session-row-time faint small">
        <Time at={at} />
      </span>
    </Link>
  )
})
