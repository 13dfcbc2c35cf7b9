/**
 * Small pictures, drawn in the colour of the text that they stand by. They mean nothing alone: a label stands beside.
 */
const PATHS = {
  sessions: 'M3 4.5h12v8H8l-3 2.5v-2.5H3z',
  approvals: 'M9 2.5l5.5 2v4c0 3.6-2.3 6-5.5 7-3.2-1-5.5-3.4-5.5-7v-4zM6.6 9l1.7 1.7 3.2-3.4',
  memory: 'M4 3h8.5a1.5 1.5 0 0 1 1.5 1.5V15H5.5A1.5 1.5 0 0 1 4 13.5zM4 13.5A1.5 1.5 0 0 1 5.5 12H14M7 6h4',
  schedules: 'M9 2.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM9 5.5V9l2.4 1.6',
  usage: 'M3 15V3M3 15h12M6.2 12.2V9.5M9.4 12.2V6M12.6 12.2V8',
  audit: 'M4.5 2.5h6l3 3v10h-9zM10.5 2.5v3h3M6.8 9h4.5M6.8 12h4.5',
  plugins: 'M6.5 6V3M11.5 6V3M4.5 6h9v3a4.5 4.5 0 0 1-9 0zM9 13.5V16',
  people: 'M9 8.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM3.5 15.2c.5-2.9 2.7-4.4 5.5-4.4s5 1.5 5.5 4.4',
  server: 'M3 3.5h12v4H3zM3 10.5h12v4H3zM5.6 5.5h.01M5.6 12.5h.01',
  search: 'M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3zM11.7 11.7L15 15',
  close: 'M4.5 4.5l9 9M13.5 4.5l-9 9',
  down: 'M4.5 7L9 11.5 13.5 7',
  right: 'M7 4.5L11.5 9 7 13.5',
  left: 'M11 4.5L6.5 9l4.5 4.5',
  plus: 'M9 3.5v11M3.5 9h11',
  more: 'M4 9h.01M9 9h.01M14 9h.01',
  copy: 'M6.5 6.5h8v8h-8zM11.5 6.5v-3h-8v8h3',
  check: 'M3.5 9.5l3.5 3.5 7.5-8',
  warning: 'M9 2.8l6.8 12H2.2zM9 7.2v3.4M9 12.7h.01',
  waiting: 'M9 2.5a6.5 6.5 0 1 1-6.5 6.5M9 2.5V5',
  empty: 'M3 10l2-6.5h8L15 10v4.5H3zM3 10h3.5l1 2h3l1-2H15',
  send: 'M9 14.5v-11M4.5 8L9 3.5 13.5 8',
  stop: 'M5 5h8v8H5z',
  attach: 'M13.8 8.4l-5 5a3 3 0 0 1-4.3-4.2l5.4-5.4a2 2 0 0 1 2.9 2.8l-5.3 5.3a1 1 0 0 1-1.4-1.4l4.7-4.7',
  edit: 'M3.5 14.5l.7-3L11.6 4a1.4 1.4 0 0 1 2 0l.3.3a1.4 1.4 0 0 1 0 2l-7.4 7.5z',
  trash: 'M3.5 5h11M7 5V3h4v2M5 5l.7 10h6.6L13 5M7.7 8v4M10.3 8v4',
  pause: 'M6.5 4v10M11.5 4v10',
  play: 'M5.5 3.5v11l9-5.5z',
  menu: 'M3 5h12M3 9h12M3 13h12',
  file: 'M4.5 2.5h6l3 3v10h-9zM10.5 2.5v3h3',
  download: 'M9 3v8M5.5 8L9 11.5 12.5 8M3.5 14.5h11',
  link: 'M7.5 10.5l3-3M8 5.2l1.4-1.4a3.2 3.2 0 0 1 4.6 4.6L12.6 9.8M10 12.8l-1.4 1.4a3.2 3.2 0 0 1-4.6-4.6L5.4 8.2',
  filter: 'M2.5 4h13L10.5 9.7V14l-3-1.5V9.7z',
  theme: 'M9 2.5a6.5 6.5 0 1 0 0 13zM9 2.5a6.5 6.5 0 0 1 0 13',
  logout: 'M7.5 3.5h-4v11h4M11 5.5L14.5 9 11 12.5M14.5 9H7',
  fork: 'M5 3v12M5 10c5 0 8-1.5 8-5M13 5V3',
  retry: 'M14.5 9a5.5 5.5 0 1 1-1.7-4M14.5 3v3h-3',
  eye: 'M2 9s2.6-4.5 7-4.5S16 9 16 9s-2.6 4.5-7 4.5S2 9 2 9zM9 7a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 18 18" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
