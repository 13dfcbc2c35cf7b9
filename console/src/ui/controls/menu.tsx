/**
 * What else can be done with a thing, behind a button. Not modal: Radix would lock scrolling with a style sheet of
 * its own.
 */
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../display/icon.tsx'
import './float.css'

export interface MenuItem {
  readonly label: string
  readonly icon?: IconName
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  readonly run: () => void
}

interface MenuProps {
  /** The button that opens it. */
  readonly children: ReactNode
  /** Null: a line between. */
  readonly items: readonly (MenuItem | null)[]
}

export function Menu({ children, items }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" sideOffset={4} align="end" collisionPadding={8}>
          {items.map((item, index) =>
            item === null ? (
              // oxlint-disable-next-line react/no-array-index-key -- lines have nothing but their place
              <Radix.Separator key={`line-${index}`} className="menu-line" />
            ) : (
              <Radix.Item
                key={item.label}
                className={item.isDangerous === true ? 'menu-item menu-danger' : 'menu-item'}
                disabled={item.isDisabled === true}
                onSelect={item.run}
              >
                {item.icon !== undefined && <Icon name={item.icon} />}
                {item.label}
              </Radix.Item>
            ),
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
