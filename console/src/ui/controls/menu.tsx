/**
 * What else can be done with a thing, behind a button. Not modal: Radix would lock scrolling with a style sheet of
 * its own.
 */
import { DropdownMenu as Radix } from 'radix-ui'
import { useRef, type ReactNode } from 'react'
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
  const trigger = useRef<HTMLButtonElement>(null)
  // The item is gone when a dialog that it opens is closed; the button can be given the focus back.
  const select = (item: MenuItem): void => {
    trigger.current?.focus()
    item.run()
  }
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger ref={trigger} asChild>
        {children}
      </Radix.Trigger>
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
                onSelect={() => select(item)}
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
