/**
 * Where GraphiQL keeps queries, tabs and looks: with this tab of the browser. What it would keep of headers is not kept
 * at all: a token stands there.
 */
import type { GraphiQLProps } from 'graphiql'

export const tabStorage: NonNullable<GraphiQLProps['storage']> = {
  get length() {
    return sessionStorage.length
  },
  getItem: (key) => sessionStorage.getItem(key),
  removeItem: (key) => sessionStorage.removeItem(key),
  setItem: (key, value) => {
    if (!/header/i.test(key)) sessionStorage.setItem(key, withoutHeaders(value))
  },
  clear: () => sessionStorage.clear(),
}

function withoutHeaders(value: string): string {
  try {
    return JSON.stringify(JSON.parse(value), (key, part: unknown) => (key === 'headers' ? null : part))
  } catch {
    return value
  }
}
