// The number beside a tab's label: it is drawn by itself, so that another finding draws no panel.
import { count } from '../words'
import { useSelect } from './use-select'

interface Props {
  /** Reads the state; 0 shows nothing. */
  of: () => number
  /** What the number counts, where the label does not say it. */
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
