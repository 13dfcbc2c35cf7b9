/** A part of a page with a title of its own. */
import type { ReactNode } from 'react'
import './display.css'

interface CardProps {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly tone?: 'plain' | 'warn'
  readonly children: ReactNode
}

export function Card({ title, actions, tone = 'plain', children }: CardProps) {
  return (
    <section className={`card card-${tone}`}>
      {(title !== undefined || actions !== undefined) && (
        <header className="card-head">
          <h2 className="cut">{title}</h2>
          {actions}
        </header>
      )}
      <div className="card-body">{children}</div>
    </section>
  )
}
