// The drawing of a flag, which marks a finding.

export function Flag({ severity }: { severity: string }) {
  return (
    <svg class={`flag severity-${severity}`} viewBox="0 0 8 8" shape-rendering="crispEdges" aria-hidden="true">
      <path fill="#9a7250" d="M1 0h1v8H1z" />
      <path fill="currentColor" d="M2 0h5v1h-1v2h1v1H2z" />
    </svg>
  )
}
