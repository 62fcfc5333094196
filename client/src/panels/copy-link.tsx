// An icon button that copies the address of a place.
import type { Place } from '../place'
import { useApp } from './context'
import { CopyIcon } from './conversation/copy-icon'

interface Props {
  to: Place
  label: string
  testid: string
  /** Whether the label is shown beside the icon, as in a menu. */
  wide?: boolean
}

export function CopyLink({ to, label, testid, wide = false }: Props) {
  const app = useApp()
  return <CopyIcon text={() => app.places.linkTo(to)} label={label} testid={testid} mark="chain" wide={wide} />
}
