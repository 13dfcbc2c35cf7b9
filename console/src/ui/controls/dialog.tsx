/**
 * What must be answered before the page goes on: the browser's own modal dialog, which keeps the focus, closes on
 * Escape and makes the rest inert. (Radix' locks scrolling with a style sheet that the page's policy forbids.)
 */
import { useEffect, useId, useLayoutEffect, useRef, type FormEvent, type ReactNode } from 'react'
import { IconButton } from './button.tsx'
import './dialog.css'

interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  /** The buttons at its end. */
  readonly actions?: ReactNode
  /** What Enter in one of its fields does, and a button of type "submit". */
  readonly onSubmit?: () => void
  readonly isWide?: boolean
}

export function Dialog({ title, isOpen, onClose, children, actions, onSubmit, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isPressedBeside = useRef(false)
  const titleId = useId()
  // One that is taken away while it is open is closed first: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const shown = dialog.current
    return () => shown?.close()
  }, [])
  useEffect(() => {
    const shown = dialog.current
    if (!isOpen || shown === null) return shown?.close()
    shown.showModal()
    // What is to be filled in, or answered, comes before the button that closes.
    const first = '.dialog-body :is(input, textarea, select), .dialog-foot [type="submit"]'
    const wanted = shown.querySelector<HTMLElement>(first) ?? shown
    wanted.focus()
  }, [isOpen])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      tabIndex={-1}
      // Escape, before the browser acts on it: what opens the next one at once would else meet the close of this one.
      onCancel={(event) => {
        if (event.target !== dialog.current) return
        event.preventDefault()
        onClose()
      }}
      onClose={() => {
        // React's strict mode takes it away and shows it again before it hears that it was closed.
        if (dialog.current?.open !== true) onClose()
      }}
      onPointerDown={(event) => {
        isPressedBeside.current = event.target === dialog.current
      }}
      onClick={(event) => {
        // A text that is selected in a field ends as a click here, where the pointer was let go.
        if (event.target === dialog.current && isPressedBeside.current) onClose()
      }}
    >
      {isOpen && (
        <form className="dialog-form" onSubmit={submit}>
          <header className="dialog-head">
            <h2 id={titleId}>{title}</h2>
            <IconButton icon="close" label="Close" onClick={onClose} />
          </header>
          <div className="dialog-body">{children}</div>
          {actions !== undefined && <footer className="dialog-foot">{actions}</footer>}
        </form>
      )}
    </dialog>
  )
}
