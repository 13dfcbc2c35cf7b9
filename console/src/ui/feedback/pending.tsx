/** Shown while something is awaited: nothing at first, then after 200 ms what it is. */
import { useEffect, useState } from 'react'
import './feedback.css'

const QUIET_MS = 200

export function Pending({ what }: { readonly what: string }) {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="pending faint" role="status">
      {isLong && `Waiting for ${what} …`}
    </div>
  )
}
