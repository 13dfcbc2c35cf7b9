/** Which keys do what, on every page. Keys of a page stand at its foot. */
import { Dialog } from '../ui/controls/dialog.tsx'
import type { Page } from './pages.ts'

interface KeysDialogProps {
  readonly pages: readonly Page[]
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function KeysDialog({ pages, isOpen, onClose }: KeysDialogProps) {
  const keys: readonly (readonly [string, string])[] = [
    ['/', 'Search on this page'],
    ['?', 'These keys'],
    ['↑ ↓', 'From row to row'],
    ['Esc', 'Close what is open'],
    ...pages.map(({ key, title }): readonly [string, string] => [`g ${key}`, title]),
  ]
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
