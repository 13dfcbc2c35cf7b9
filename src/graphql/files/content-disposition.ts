/**
 * The header that names a download (RFC 6266): a plain form for old clients, and the real name in UTF-8 (RFC 8187).
 * Nothing in `name` can end the header or begin another.
 */
export function contentDisposition(kind: 'attachment' | 'inline', name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]/gu, '_').replaceAll(/["\\%]/g, '_')
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encodeName(name)}`
}

/** encodeURIComponent leaves some characters that the header does not allow. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
