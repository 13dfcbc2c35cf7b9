/** In which form a browser takes a file that lies there compressed: the smallest that it names. */
export type Encoding = 'br' | 'gzip' | 'identity'

/** `accepted`: the header `Accept-Encoding`. */
export function chooseEncoding(accepted = ''): Encoding {
  if (accepts(accepted, 'br')) return 'br'
  return accepts(accepted, 'gzip') ? 'gzip' : 'identity'
}

function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
