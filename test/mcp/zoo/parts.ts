/** Answers in parts that are no text: links to files of its reader, pictures, and kinds that there are none of. */
import { serve, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('show')] }),
  'tools/call': () => ({
    content: [
      { type: 'resource_link', uri: 'file:///etc/passwd', name: 'passwd' },
      { type: 'resource', resource: { uri: 'file:///etc/shadow', blob: 'cm9vdA==' } },
      { type: 'image', mimeType: 'image/svg+xml', data: 'x'.repeat(3_000_000) },
      { type: 'hologram', data: 'x' },
      'bare',
      { type: 'text', text: 'seen' },
      { type: 'text', text: 17 },
    ],
  }),
})
