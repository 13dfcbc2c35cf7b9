/** Is not loaded before a file lies in the home. */
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { definePlugin } from 'factotum/plugin'

while (!existsSync(new URL('../../go', import.meta.url))) await setTimeout(20)

export default definePlugin({ name: 'late', version: '1.0.0', api: 1, title: 'Late', description: 'Takes its time.' })
