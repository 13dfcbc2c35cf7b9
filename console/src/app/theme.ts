/** Light, dark, or as the system has it; kept in this browser. */
import { useSyncExternalStore } from 'react'
import { Listeners } from '../ui/listeners.ts'

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'factotum.theme'
const listeners = new Listeners()

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY)
    return THEMES.find((theme) => theme === kept) ?? 'system'
  } catch {
    // This browser keeps nothing of the page.
    return 'system'
  }
}

/** Once, before anything is drawn. */
export function applyTheme(): void {
  const theme = readTheme()
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(listeners.follow, readTheme)
  return [
    theme,
    (next) => {
      localStorage.setItem(KEY, next)
      applyTheme()
      listeners.notify()
    },
  ]
}
