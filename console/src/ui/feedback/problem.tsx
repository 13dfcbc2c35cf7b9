/** Why what a dialog was asked for cannot be done, read out when it comes. */
import type { ReactNode } from 'react'
import '../controls/field.css'

export function Problem({ children }: { readonly children: ReactNode }) {
  return (
    <p role="alert" className="field-error foreign">
      {children}
    </p>
  )
}
