/** The console begins here. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { readPlace } from './app/hash-location.ts'
import { logInByLink } from './app/log-in.ts'
import { foretell } from './app/pages.ts'
import { applyTheme } from './app/theme.ts'
import { beginRead } from './data/use-read.ts'
import { ViewerDocument } from './generated/graphql.ts'
import { rememberFirstKeys } from './ui/keys/use-keys.ts'
import './ui/tokens/tokens.css'
import './ui/tokens/base.css'

applyTheme()
await logInByLink()
rememberFirstKeys()
beginRead(ViewerDocument, {})
foretell(readPlace().path)
const root = document.getElementById('root')
if (root === null) throw new Error('The page has no place for the console.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
