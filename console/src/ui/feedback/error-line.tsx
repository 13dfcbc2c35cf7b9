/** One line that says what does not work, and what happens next. */
import type { ReactNode } from 'react'
import { Icon } from '../display/icon.tsx'
import './feedback.css'

interface ErrorLineProps {
  readonly children: ReactNode
  /** What can be done about it. */
  readonly action?: ReactNode
  /** `waiting`: it comes back by itself. */
  readonly tone?: 'bad' | 'waiting'
}

export function ErrorLine({ children, action, tone = 'bad' }: ErrorLineProps) {
  return (
    <div className={`error-line error-line-${tone}`} role="status">
      <Icon name={tone === 'bad' ? 'warning' : 'waiting'} />
      <span className="foreign">{children}</span>
      {action}
    </div>
  )
}
