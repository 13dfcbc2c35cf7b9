/** What stands where nothing is: what would be here, and what to do. */
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../display/icon.tsx'
import './feedback.css'

interface EmptyStateProps {
  readonly icon?: IconName
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}

export function EmptyState({ icon = 'empty', title, children, action }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p className="soft">{children}</p>
      {action}
    </div>
  )
}
