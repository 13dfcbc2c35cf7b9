/** Output of a program, with its colours. */
import { memo } from 'react'
import { parseAnsi, type AnsiPiece } from './parse-ansi.ts'
import './ansi.css'

export const AnsiText = memo(function AnsiText({ text }: { readonly text: string }) {
  return parseAnsi(text).map((piece, index) => {
    const names = classesOf(piece)
    // oxlint-disable-next-line react/no-array-index-key -- pieces have nothing but their place
    return names === '' ? (
      piece.text
    ) : (
      <span key={index} className={names}>
        {piece.text}
      </span>
    )
  })
})

function classesOf({ color, background, isBold, isDim, isItalic, isUnderlined }: AnsiPiece): string {
  return [
    color !== null && `ansi-${color}`,
    background !== null && `ansi-on-${background}`,
    isBold && 'ansi-bold',
    isDim && 'ansi-dim',
    isItalic && 'ansi-italic',
    isUnderlined && 'ansi-underlined',
  ]
    .filter((name) => name !== false)
    .join(' ')
}
