// The problem that a process solves, as one line until the reader asks for all of it.
export function StageProblem({ text, whole }: { text: string; whole: boolean }) {
  if (text === '') return null
  return (
    <p
      class={whole ? 'stage-problem' : 'stage-problem clamp'}
      title={whole ? undefined : text}
      data-testid="stage-problem"
    >
      {text}
    </p>
  )
}
