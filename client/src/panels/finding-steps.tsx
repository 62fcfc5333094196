// The path of a value from its source to the place of a finding, step by step.
import type { Step } from '../net/protocol.gen'
import { Place, type GoTo } from './place'

interface Props {
  steps: readonly Step[]
  roomOf: (path: string) => string | null
  onGo: GoTo
}

export function FindingSteps({ steps, roomOf, onGo }: Props) {
  return (
    <ol class="finding-steps" data-testid="finding-steps">
      {steps.map((s, i) => (
        <li key={i}>
          <Place path={s.path} line={s.line} room={roomOf(s.path)} onGo={onGo} testid="finding-step" />
          {s.note && <span class="quiet"> {s.note}</span>}
          <code>{s.quote}</code>
        </li>
      ))}
    </ol>
  )
}
