/** An id, or another short text, that a click copies. */
import { useState } from 'react'
import { Tooltip } from '../controls/tooltip.tsx'
import { copyOrShow } from './copy-text.ts'
import { Icon } from './icon.tsx'
import './display.css'

const SHOWN_MS = 1500

interface CopyIdProps {
  readonly id: string
  /** What is shown in its place. */
  readonly label?: string
}

export function CopyId({ id, label }: CopyIdProps) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async (): Promise<void> => {
    if (!(await copyOrShow(id))) return
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), SHOWN_MS)
  }
  return (
    <Tooltip text={isCopied ? 'Copied' : `Copy ${id}`}>
      <button type="button" className="copy-id mono" aria-label={`Copy ${label ?? id}`} onClick={() => void copy()}>
        <span className="cut foreign">{label ?? id}</span>
        <Icon name={isCopied ? 'check' : 'copy'} />
      </button>
    </Tooltip>
  )
}
