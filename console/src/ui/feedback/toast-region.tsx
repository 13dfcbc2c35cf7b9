/** Where notices are shown and read out. */
import { createPortal } from 'react-dom'
import { IconButton, Button } from '../controls/button.tsx'
import { useTopDialog } from '../controls/open-dialogs.ts'
import { dismiss, useToasts, type Toast } from './toasts.ts'
import './feedback.css'

/** The page's own stays while a dialog has one: what comes into a region is read out, a region that comes is not. */
export function ToastRegion() {
  const toasts = useToasts()
  const dialog = useTopDialog()
  return (
    <>
      <Region toasts={dialog === null ? toasts : []} />
      {dialog !== null && createPortal(<Region toasts={toasts} />, dialog)}
    </>
  )
}

function Region({ toasts }: { readonly toasts: readonly Toast[] }) {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={`toast toast-${toast.tone}`}>
          <span className="foreign">{toast.text}</span>
          {toast.action !== undefined && (
            <Button
              small
              onClick={() => {
                toast.action?.run()
                dismiss(toast.id)
              }}
            >
              {toast.action.label}
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(toast.id)} />
        </div>
      ))}
    </div>
  )
}
