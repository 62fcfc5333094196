// The number beside a tab's label. It is a component of its own, so that a change of the number renders no panel.
import { count } from '../words'
import { useSelect } from './use-select'

interface Props {
  /** Reads the number from the state; 0 shows nothing. */
  of: () => number
  /** The tooltip. Without it the label names what is counted. */
  hint?: (n: number) => string
}

export function Badge({ of, hint }: Props) {
  const n = useSelect(of, [of])
  return n > 0 ? (
    <span class="badge" title={hint?.(n)}>
      {count(n)}
    </span>
  ) : null
}
