/** The end of a conversation: it begins there, and where the end was in sight it stays in sight. */
import type { Entry } from '@factotum/client'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from 'react'

/** The end counts as in sight up to here. */
export const NEAR_END_PX = 80

interface End {
  /** One has scrolled away from it, so that the way back is worth a button. */
  readonly isAway: boolean
  /** To be called when the element has scrolled. */
  readonly scrolled: () => void
}

export function useEnd(
  scroller: RefObject<HTMLDivElement | null>,
  newest: Entry | undefined,
  scrollToEnd: () => void,
): End {
  const [isAway, setIsAway] = useState(false)
  const isInSight = useRef(true)
  const toEnd = useEffectEvent(scrollToEnd)
  const isEmpty = newest === undefined
  // What is sent from here is followed from wherever one was reading.
  const sent = newest?.kind === 'person' && newest.sending !== null ? newest.key : null
  useLayoutEffect(() => {
    if (!isEmpty) toEnd()
  }, [isEmpty, sent])
  // An approval, a question or a long message below takes a part of the page.
  useEffect(() => {
    if (scroller.current === null) return
    const observer = new ResizeObserver(() => {
      if (isInSight.current) toEnd()
    })
    observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller])
  const scrolled = (): void => {
    const below = hiddenBelow(scroller.current)
    isInSight.current = below <= NEAR_END_PX
    setIsAway(below > NEAR_END_PX * 2)
  }
  return { isAway, scrolled }
}

/** As the page has it: a virtual list hears of a scroll later than the component around it. */
function hiddenBelow(scroller: HTMLDivElement | null): number {
  return scroller === null ? 0 : scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight
}
