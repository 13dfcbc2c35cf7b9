/** A part of the page: what it is about at the side, on a phone above. */
import type { ReactNode } from 'react'

interface PartProps {
  readonly title: string
  readonly about: string
  readonly children: ReactNode
}

export function Part({ title, about, children }: PartProps) {
  return (
    <section className="server-part">
      <div className="server-about">
        <h2>{title}</h2>
        <p className="small soft">{about}</p>
      </div>
      <div className="server-content">{children}</div>
    </section>
  )
}
