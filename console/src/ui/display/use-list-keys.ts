/**
 * ↓ and ↑ (or j and k) lead into a list whose rows are links or buttons, and from row to row. Lists in which rows are
 * picked have keys of their own (ui/picking/use-picking.ts).
 */
import { useKeys } from '../keys/use-keys.ts'

export function useListKeys(): void {
  const [down, up] = [() => step(1), () => step(-1)]
  useKeys({ ArrowDown: down, j: down, ArrowUp: up, k: up })
}

function step(by: 1 | -1): void {
  const at = document.activeElement?.closest<HTMLElement>('.list-row')
  const row = at == null ? firstInSight() : rowAt(Number(at.dataset['index']) + by)
  row?.querySelector<HTMLElement>('a, button')?.focus()
}

function rowAt(index: number): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.list-row[data-index="${index}"]`)
}

function firstInSight(): HTMLElement | undefined {
  const top = document.querySelector('.list')?.getBoundingClientRect().top ?? 0
  return [...document.querySelectorAll<HTMLElement>('.list-row')].find((row) => row.getBoundingClientRect().top >= top)
}
