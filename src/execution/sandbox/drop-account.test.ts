import { expect, test } from 'vitest'
import { parsePasswd } from './drop-account.ts'

test('parsePasswd reads unprivileged accounts and nothing else', () => {
  const text = [
    'root:x:0:0:root:/root:/bin/bash',
    'toor:x:0:100:root too:/root:/bin/bash',
    'wheel:x:100:0:group of root:/:/bin/sh',
    'nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin',
    'broken:x:abc:1::',
    'negative:x:-2:-2::',
    'short:x',
    '',
  ].join('\n')
  expect(parsePasswd(text)).toEqual([{ name: 'nobody', uid: 65534, gid: 65533 }])
})
