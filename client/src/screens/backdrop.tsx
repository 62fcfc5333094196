// The country behind the words of the start screen. It is a picture: it takes neither clicks nor the focus.
import { useRef, useState } from 'preact/hooks'
import { canDraw } from '../map/can-draw'
import { useStage } from '../map/use-stage'
import type { RealmModel } from '../state/model'

export function Backdrop({ realm }: { realm: RealmModel }) {
  const [failed, setFailed] = useState(false)
  if (failed || !canDraw()) return null
  return <Country realm={realm} onFail={() => setFailed(true)} />
}

function Country({ realm, onFail }: { realm: RealmModel; onFail: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  useStage(box, { realm, place: null, onPick: () => undefined, onFail })
  return <div class="backdrop" ref={box} data-testid="backdrop" aria-hidden="true" inert />
}
