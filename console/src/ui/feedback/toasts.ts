/** Short notices at the edge of the page: what happened, and perhaps how to take it back. */
import { useSyncExternalStore } from 'react'
import { Listeners } from '../listeners.ts'

export interface Toast {
  readonly id: number
  readonly tone: 'plain' | 'good' | 'bad'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
  /** True: it stays until it is dismissed. */
  readonly isKept?: boolean
}

const SHOWN_MS = 6000
const MOST = 4

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Listeners()

function become(next: readonly Toast[]): void {
  toasts = next
  listeners.notify()
}

/** Shows it for six seconds, longer where there is something to click; the same text is shown once. */
export function notify(toast: Omit<Toast, 'id'>): void {
  const id = (lastId += 1)
  become([...toasts.filter(({ text }) => text !== toast.text), { ...toast, id }].slice(-MOST))
  if (toast.isKept === true) return
  setTimeout(() => dismiss(id), toast.action === undefined ? SHOWN_MS : SHOWN_MS * 2)
}

export function dismiss(id: number): void {
  become(toasts.filter((toast) => toast.id !== id))
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(listeners.follow, () => toasts)
}
