/** What /metrics and /ready tell an admin of a story. */
import { tokenOf } from './story.ts'

export function askOperators(url: string, path: '/metrics' | '/ready'): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${tokenOf('ada')}` } })
}
