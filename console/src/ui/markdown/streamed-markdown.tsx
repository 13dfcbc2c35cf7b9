/**
 * A text in Markdown that still grows. What is whole is parsed once, block by block; the last block is one text node
 * until it is whole, so a piece costs as little at the end of a long text as at its beginning.
 */
import { useState } from 'react'
import { useMarkdown } from './load-markdown.ts'
import { Markdown } from './markdown.tsx'

interface Settled {
  /** Where the last block begins. */
  readonly length: number
  readonly blocks: readonly string[]
}

const NOTHING: Settled = { length: 0, blocks: [] }

export function StreamedMarkdown({ text }: { readonly text: string }) {
  const markdown = useMarkdown()
  const [settled, setSettled] = useState(NOTHING)
  const begun = startsWithBlocks(text, settled) ? settled : NOTHING
  const tail = text.slice(begun.length)
  // A block can be whole only where an empty line follows it.
  const isWhole = markdown !== null && tail.includes('\n\n')
  const blocks = isWhole ? markdown.blocksOf(tail).slice(0, -1) : []
  const next = blocks.length === 0 ? begun : append(begun, blocks)
  if (next !== settled) setSettled(next)
  return (
    <div className="markdown-streamed">
      {next.blocks.map((block, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- blocks are only appended
        <Markdown key={index} text={block} />
      ))}
      <div className="markdown markdown-raw foreign">{text.slice(next.length)}</div>
    </div>
  )
}

function append({ length, blocks }: Settled, more: readonly string[]): Settled {
  return { length: length + more.reduce((sum, block) => sum + block.length, 0), blocks: [...blocks, ...more] }
}

/** False: the text was begun anew. */
function startsWithBlocks(text: string, { length, blocks }: Settled): boolean {
  return text.length >= length && (blocks[0] === undefined || text.startsWith(blocks[0]))
}
