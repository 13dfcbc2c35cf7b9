/**
 * The dialogs that are open. All else of the page is inert meanwhile, neither read out nor clicked, so notices are
 * shown in the one on top.
 */
import { useSyncExternalStore } from 'react'
import { Listeners } from '../listeners.ts'

let open: readonly HTMLDialogElement[] = []
const listeners = new Listeners()

/** Call what it returns when the dialog is closed. */
export function dialogOpened(dialog: HTMLDialogElement): () => void {
  become([...open, dialog])
  return () => become(open.filter((one) => one !== dialog))
}

/** Null: the page itself is to be used. */
export function useTopDialog(): HTMLDialogElement | null {
  return useSyncExternalStore(listeners.follow, () => open.at(-1) ?? null)
}

function become(next: readonly HTMLDialogElement[]): void {
  open = next
  listeners.notify()
}
