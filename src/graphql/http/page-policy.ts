/**
 * The Content-Security-Policy of a page of our own that holds all that it needs: its inline scripts run, by their
 * hashes, and no others.
 */
import { createHash } from 'node:crypto'

const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g

/**
 * Its scripts may load others, and no markup may: what a session has published at this origin never runs. Editors put
 * styles into the page; answers come from this origin. A link that makes the page frame or post anything is of no use.
 */
export function pagePolicy(html: string): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(([, script = '']) => `'sha256-${sha256(script)}'`)
  return [
    "default-src 'none'",
    `script-src ${hashes.length === 0 ? "'none'" : [...hashes, "'strict-dynamic'"].join(' ')}`,
    "connect-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function sha256(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('base64')
}
