/** The page of one session, which is loaded when the first one is opened. */
import { part } from '../../ui/loading/part.tsx'

export const SessionPart = part('the page', async () => {
  const { default: page, begin } = await import('../session/page.tsx')
  return { default: page, begin }
})
