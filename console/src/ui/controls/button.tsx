/** What is clicked. The kind says how much it matters: one `main` a view, `danger` for what cannot be taken back. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Icon, type IconName } from '../display/icon.tsx'
import { Tooltip } from './tooltip.tsx'
import './button.css'

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  readonly kind?: 'plain' | 'main' | 'danger' | 'quiet'
  readonly small?: boolean
  readonly icon?: IconName
  /** True: what it does is under way; it cannot be clicked again. */
  readonly isBusy?: boolean
  readonly children: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({ kind = 'plain', small = false, icon, isBusy = false, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${kind}${small ? ' button-small' : ''}`}
      disabled={rest.disabled === true || isBusy}
      aria-busy={isBusy || undefined}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'children'> {
  readonly icon: IconName
  /** What it does: its name for screen readers, and its tooltip. */
  readonly label: string
  readonly ref?: Ref<HTMLButtonElement>
}

export function IconButton({ icon, label, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button type="button" {...rest} className="button button-quiet button-icon" aria-label={label}>
        <Icon name={icon} />
      </button>
    </Tooltip>
  )
}
