/**
 * What must be answered before the page goes on: the browser's own modal dialog, which keeps the focus, closes on
 * Escape and makes the rest inert. (Radix' locks scrolling with a style sheet that the page's policy forbids.)
 */
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { Problem } from '../feedback/problem.tsx'
import { IconButton } from './button.tsx'
import { dialogOpened } from './open-dialogs.ts'
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
  /** Why only its own buttons close it: said when it is left in another way, such as Escape or a click beside it. */
  readonly keptOpen?: string | undefined
}

export function Dialog({ title, isOpen, onClose, children, actions, onSubmit, isWide = false, keptOpen }: DialogProps) {
  const dialog = useShown(isOpen)
  const isPressedBeside = useRef(false)
  const titleId = useId()
  const [slips, setSlips] = useState(0)
  const leave = keptOpen === undefined ? onClose : () => setSlips((before) => before + 1)
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
        leave()
      }}
      onClose={() => {
        // React's strict mode takes it away and shows it again before it hears that it was closed.
        if (dialog.current?.open === true) return
        leave()
        // A second Escape closes it whatever the first was answered.
        if (isOpen && keptOpen !== undefined) dialog.current?.showModal()
      }}
      onPointerDown={(event) => {
        isPressedBeside.current = event.target === dialog.current
      }}
      onClick={(event) => {
        // A text that is selected in a field ends as a click here, where the pointer was let go.
        if (event.target === dialog.current && isPressedBeside.current) leave()
      }}
    >
      {isOpen && (
        <form className="dialog-form" onSubmit={submit} onKeyDown={sendByKey}>
          <header className="dialog-head">
            <h2 id={titleId}>{title}</h2>
            <IconButton icon="close" label="Close" onClick={leave} />
          </header>
          <div className="dialog-body">
            {children}
            {keptOpen !== undefined && slips > 0 && <Problem key={slips}>{keptOpen}</Problem>}
          </div>
          {actions !== undefined && <footer className="dialog-foot">{actions}</footer>}
        </form>
      )}
    </dialog>
  )
}

/** Ctrl+Enter, where Enter begins a new line. */
function sendByKey(event: KeyboardEvent<HTMLFormElement>): void {
  const { key, ctrlKey, metaKey, target, currentTarget } = event
  if (key !== 'Enter' || (!ctrlKey && !metaKey) || !(target instanceof HTMLTextAreaElement)) return
  // A click, since a button that is disabled takes none.
  currentTarget.querySelector<HTMLButtonElement>('[type="submit"]')?.click()
}

/** Open as long as it is said, with the focus where an answer begins. */
function useShown(isOpen: boolean): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
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
    return dialogOpened(shown)
  }, [isOpen])
  return dialog
}
