/** Where notices are shown and read out. */
import { createPortal } from 'react-dom'
import { IconButton, Button } from '../controls/button.tsx'
import { useTopDialog } from '../controls/open-dialogs.ts'
import { dismiss, useToasts } from './toasts.ts'
import './tell.css'

export function ToastRegion() {
  const toasts = useToasts()
  const dialog = useTopDialog()
  const region = (
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
  return dialog === null ? region : createPortal(region, dialog)
}
