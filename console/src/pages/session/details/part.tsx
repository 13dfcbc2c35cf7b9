/** Parts of the details, and their facts. */
import type { ReactNode } from 'react'

interface PartProps {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function Part({ title, action, children }: PartProps) {
  return (
    <section className="details-part">
      <header>
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  )
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="soft">{name}</dt>
      <dd className="foreign">{children}</dd>
    </>
  )
}
