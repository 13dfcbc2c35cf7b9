/** Where notices are shown and read out. */
import { IconButton, Button } from '../controls/button.tsx'
import { dismiss, useToasts } from './toasts.ts'
import './tell.css'

export function ToastRegion() {
  const toasts = useToasts()
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
