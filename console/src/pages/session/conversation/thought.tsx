/** What a model shows of its reasoning: folded, because it is long and says nothing that counts. */
import type { ThinkingEntry } from '@factotum/client'
import { useState } from 'react'
import { StreamedMarkdown } from '../../../ui/markdown/streamed-markdown.tsx'

export function Thought({ entry }: { readonly entry: ThinkingEntry }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="entry thought" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="faint small">
        {entry.isStreaming ? <span className="thought-busy">Thinking …</span> : 'Thought'}
      </summary>
      {isOpen && <StreamedMarkdown text={entry.content} />}
    </details>
  )
}
