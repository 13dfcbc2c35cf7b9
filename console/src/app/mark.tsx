/** The product's mark. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#4a58d8" />
      <path
        d="M11 24V9h11M11 16h8"
        fill="none"
        stroke="#fff"
        strokeWidth="3.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="22" cy="22.5" r="2.4" fill="#a9f0d1" />
    </svg>
  )
}
