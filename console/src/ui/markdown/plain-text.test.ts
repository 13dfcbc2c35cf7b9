import { expect, test } from 'vitest'
import { plainText } from './plain-text.ts'

test.each([
  ['Yesterday: **412 orders**, and `npm ci`.', 'Yesterday: 412 orders, and npm ci.'],
  ['# Notes See [the page](https://x.test/a).', 'Notes See the page.'],
  ['Three did: | Who | How much | | --- | ---: | | Miller | 2 % |', 'Three did: Who · How much · Miller · 2 %'],
  ['2 * 3 * 4, snake_case_name and __init__', '2 * 3 * 4, snake_case_name and init'],
  ['It is so. | …', 'It is so. …'],
  ['```sh ls -l ```', 'ls -l'],
])('%s', (markdown, words) => expect(plainText(markdown)).toBe(words))
