/** A text in Markdown. Until what parses it is loaded, the text stands there as it was written. */
import { memo, useLayoutEffect, useRef } from 'react'
import { useMarkdown } from './load-markdown.ts'
import './markdown.css'

export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const markdown = useMarkdown()
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (markdown !== null) place.current?.replaceChildren(markdown.renderMarkdown(text))
  }, [markdown, text])
  if (markdown === null) return <div className="markdown markdown-raw foreign">{text}</div>
  return <div ref={place} className="markdown foreign" dir="auto" />
})
