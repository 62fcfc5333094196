// The problem that a process solves: one line, and the whole text after a click.
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
