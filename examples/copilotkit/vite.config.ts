import { defineConfig } from 'vite'

// A page of 127.0.0.1 may ask a server of this machine; for others there is "cors_origins" (docs/operations.md).
export default defineConfig({ server: { host: '127.0.0.1' } })
