/** What changed between two texts, word by word. */
import { wordDiff } from '../../../../src/core/text/word-diff.ts'
import './display.css'

export function Diff({
  before,
  after,
  isCode = false,
}: {
  readonly before: string
  readonly after: string
  readonly isCode?: boolean
}) {
  return (
    <div className={isCode ? 'diff foreign mono' : 'diff foreign'}>
      {wordDiff(before, after).map(({ kind, text }, index) => {
        // oxlint-disable-next-line react/no-array-index-key -- parts have nothing but their place
        if (kind === 'same') return <span key={index}>{text}</span>
        const Part = kind === 'added' ? 'ins' : 'del'
        // oxlint-disable-next-line react/no-array-index-key -- as above
        return <Part key={index}>{text}</Part>
      })}
    </div>
  )
}
