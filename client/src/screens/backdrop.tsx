// The country behind the text of the start screen. It is decoration and takes neither clicks nor the focus.
import { useRef } from 'preact/hooks'
import { useStage } from '../map/use-stage'
import type { RealmModel } from '../state/model'

/** onFail: called if the country cannot be drawn. */
export function Backdrop({ realm, onFail }: { realm: RealmModel; onFail: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  useStage(box, { realm, onPick: () => undefined, onFail })
  return <div class="backdrop" ref={box} data-testid="backdrop" aria-hidden="true" inert />
}
