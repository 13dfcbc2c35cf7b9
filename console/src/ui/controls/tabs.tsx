/** Parts of one page, of which one is shown. Arrow keys lead from one to the next. */
import { Tabs as Radix } from 'radix-ui'
import { useEffect, useRef, type ReactNode } from 'react'
import { EmptyState } from '../feedback/empty-state.tsx'
import './tabs.css'

export interface Tab {
  readonly id: string
  readonly label: ReactNode
  readonly content: ReactNode
}

interface TabsProps {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly value: string
  readonly onChange: (id: string) => void
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const list = useRef<HTMLDivElement>(null)
  // A phone has no place for all of them.
  useEffect(() => {
    list.current?.querySelector('[data-state="active"]')?.scrollIntoView({ block: 'nearest' })
  }, [value])
  return (
    <Radix.Root className="tabs" value={value} onValueChange={onChange}>
      <Radix.List ref={list} className="tabs-list" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.id} value={tab.id} className="tabs-tab">
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="tabs-content" tabIndex={-1}>
          {tab.content}
        </Radix.Content>
      ))}
      {!tabs.some(({ id }) => id === value) && (
        <EmptyState title="There is no such page">
          The address may be mistyped, or the page is for admins. The tabs above lead on.
        </EmptyState>
      )}
    </Radix.Root>
  )
}
