/** What /metrics and /ready tell an admin of a story. */
import { expect, vi } from 'vitest'
import { PATIENCE } from './patience.ts'
import { tokenOf } from './story.ts'

export function askOperators(url: string, path: '/metrics' | '/ready'): Promise<Response> {
  return fetch(`${url}${path}`, { headers: { authorization: `Bearer ${tokenOf('ada')}` } })
}

/** Until one subscription there follows a log: what is streamed reaches only those who follow when it comes. */
export async function untilFollowed(url: string): Promise<void> {
  const metrics = async (): Promise<string> => (await askOperators(url, '/metrics')).text()
  await vi.waitFor(async () => expect(await metrics()).toContain('factotum_subscribers{kind="log"} 1'), PATIENCE)
}
