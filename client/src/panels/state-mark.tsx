// The icon of a state, which differs in shape first and in colour second.
import type { ComponentChildren } from 'preact'

export type State = 'running' | 'waiting' | 'reading' | 'interrupted' | 'done' | 'open'

const STATE: Record<State, ComponentChildren> = {
  // a flame
  running: (
    <path d="M8 1c1 3 4 4.5 4 8.5a4 4 0 0 1-8 0c0-2 1-3 1.5-4 .5 1 1 1.5 1.5 1.5C7.5 5 7 3 8 1z" fill="currentColor" />
  ),
  // a closed door
  waiting: (
    <path d="M3 15V6a5 5 0 0 1 10 0v9zm2-2h6V6a3 3 0 0 0-6 0zM9 9h1.5v1.5H9z" fill="currentColor" fill-rule="evenodd" />
  ),
  // a book
  reading: (
    <path
      d="M1 3c2.5-1 5-.5 7 1 2-1.5 4.5-2 7-1
      v10c-2.5-1-5-.5-7 1-2-1.5-4.5-2-7-1zm2 1.5v7c1.5-.3 3 0 4 .6V5.3c-1-.8-2.5-1-4-.8z"
      fill="currentColor"
      fill-rule="evenodd"
    />
  ),
  // a broken line
  interrupted: <path d="M1 7h4v2H1zm6-3h2v2H7zm0 6h2v2H7zm4-3h4v2h-4z" fill="currentColor" />,
  // a seal
  done: (
    <path
      d="M8 1l1.7 1.5 2.2-.4.8 2.1 2.1.8-.4 2.2L16 9
      l-1.5 1.7.4 2.2-2.1.8L8 12.5 3.2 13.7l-2.1-.8.4-2.2L0 9
      l1.5-1.8-.4-2.2 2.1-.8.8-2.1 2.2.4zM7 10.5l4.5-4.5-1.2-1.2L7 8 5.6 6.6 4.4 7.8z"
      transform="translate(.8 1) scale(.9)"
      fill="currentColor"
      fill-rule="evenodd"
    />
  ),
  // an empty ring
  open: (
    <path
      d="M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z"
      fill="currentColor"
      fill-rule="evenodd"
      opacity=".6"
    />
  ),
}

export function StateMark({ state, label }: { state: State; label?: string }) {
  return (
    <svg
      class={`mark state-${state}`}
      viewBox="0 0 16 16"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' })}
    >
      {STATE[state]}
    </svg>
  )
}
