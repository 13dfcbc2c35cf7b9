/** A labelled input. What is wrong with it stands below, and is read out with it. */
import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'
import { Icon } from '../display/icon.tsx'
import './field.css'

interface FieldProps {
  readonly label: string
  /** True: only screen readers are given the label, because its place says it. */
  readonly isLabelUnseen?: boolean | undefined
  readonly hint?: ReactNode
  readonly error?: string | null | undefined
}

interface Described {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

function Labelled({
  label,
  isLabelUnseen,
  hint,
  error,
  children,
}: FieldProps & { children: (input: Described) => ReactNode }) {
  const id = useId()
  const isWrong = error !== undefined && error !== null
  const hasMore = isWrong || hint !== undefined
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelUnseen === true ? 'unseen' : 'field-label'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': hasMore ? `${id}-more` : undefined, 'aria-invalid': isWrong || undefined })}
      {hasMore && (
        <div id={`${id}-more`} className={isWrong ? 'field-error' : 'field-hint'}>
          {isWrong ? error : hint}
        </div>
      )}
    </div>
  )
}

type Without<Props> = Omit<Props, 'className' | 'id'>

export function TextField({
  label,
  isLabelUnseen,
  hint,
  error,
  ...rest
}: FieldProps & Without<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <Labelled {...{ label, isLabelUnseen, hint, error }}>
      {(input) => <input dir="auto" {...rest} {...input} className="input" />}
    </Labelled>
  )
}

export function TextAreaField({
  label,
  isLabelUnseen,
  hint,
  error,
  ...rest
}: FieldProps & Without<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Labelled {...{ label, isLabelUnseen, hint, error }}>
      {(input) => <textarea rows={4} dir="auto" {...rest} {...input} className="input" />}
    </Labelled>
  )
}

export function SelectField({
  label,
  isLabelUnseen,
  hint,
  error,
  children,
  ...rest
}: FieldProps & Without<SelectHTMLAttributes<HTMLSelectElement>>) {
  return (
    <Labelled {...{ label, isLabelUnseen, hint, error }}>
      {(input) => (
        <span className="select">
          <select {...rest} {...input} className="input">
            {children}
          </select>
          <Icon name="down" />
        </span>
      )}
    </Labelled>
  )
}

export function CheckField({
  label,
  hint,
  ...rest
}: { readonly label: ReactNode; readonly hint?: ReactNode } & Without<InputHTMLAttributes<HTMLInputElement>>) {
  const id = useId()
  return (
    <div className="check">
      <input type="checkbox" {...rest} id={id} aria-describedby={hint === undefined ? undefined : `${id}-more`} />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <div id={`${id}-more`} className="field-hint">
          {hint}
        </div>
      )}
    </div>
  )
}

export function SearchField({
  label,
  ...rest
}: { readonly label: string } & Without<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <label className="search">
      <span className="unseen">{label}</span>
      <Icon name="search" />
      <input type="search" placeholder={label} data-search dir="auto" {...rest} className="input" />
    </label>
  )
}
