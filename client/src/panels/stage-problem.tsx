// The problem that a process solves: one line, and the whole text after a press on it.
interface Props {
  text: string
  whole: boolean
  onPress: () => void
}

export function StageProblem({ text, whole, onPress }: Props) {
  if (text === '') return null
  return (
    <p
      class={whole ? 'stage-problem' : 'stage-problem clamp'}
      title={whole ? undefined : text}
      data-testid="stage-problem"
      onClick={onPress}
    >
      {text}
    </p>
  )
}
