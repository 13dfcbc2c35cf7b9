/** A few words at what the pointer or the focus is on. Never the only place where something is said. */
import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import './float.css'

export function Tooltip({ text, children }: { readonly text: ReactNode; readonly children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tooltip" sideOffset={5} collisionPadding={8}>
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Once, around everything. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return <Radix.Provider delayDuration={350}>{children}</Radix.Provider>
}
