/** A part of what is shown of a fact. */
import type { ReactNode } from 'react'

export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="fact-part">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
