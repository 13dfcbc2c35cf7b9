/** Into the clipboard, also on a page that came over http from another host: it is given no `navigator.clipboard`. */
import { notify } from '../feedback/toasts.ts'

/** Said wherever it was tried in vain, beside what is to be copied. */
export const COPY_BY_HAND = 'This browser lets the page copy nothing. Select it and copy it by hand.'

/** False: the browser lets no page copy, or this one not now. */
export async function copyText(text: string): Promise<boolean> {
  // Only typed as always there.
  const clipboard = navigator.clipboard as Clipboard | undefined
  try {
    if (clipboard === undefined) return copySelected(text)
    await clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

/** Where it cannot be copied, it is shown to be selected by hand. */
export async function copyOrShow(text: string): Promise<boolean> {
  const isCopied = await copyText(text)
  if (!isCopied) notify({ tone: 'bad', text: `${COPY_BY_HAND} ${text}`, isKept: true })
  return isCopied
}

/** What is selected a browser copies for a click everywhere, though the way to ask for it is an old one. */
function copySelected(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.className = 'unseen'
  field.value = text
  field.readOnly = true
  // All that is not in an open dialog is inert.
  const place = before?.closest('dialog') ?? document.body
  place.append(field)
  field.select()
  try {
    // oxlint-disable-next-line typescript/no-deprecated
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    field.remove()
    if (before instanceof HTMLElement) before.focus()
  }
}
