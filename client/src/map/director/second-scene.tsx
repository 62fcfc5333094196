// A second scene beside the main view: a small picture with a sentence that says what it is, or the sentence alone if
// the map is too small for a picture. A click or the key p shows the scene in the main view.
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Breakable } from '../../panels/breakable'
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'
import { directorWords as w } from '../../words-director'
import type { Stage } from '../canvas/stage'
import { useRoom } from '../use-room'
import type { Shot } from './direct'
import { useSecond } from './use-second'
import './second-scene.css'

/** If the map is smaller than this, in CSS pixels, it has no space for the small picture of a second scene. */
const ROOM = { width: 560, height: 380 }

interface Props {
  realm: RealmModel
  stage: Stage
  /** What the director shows in the main view; null while the person moves the camera. */
  shot: Shot | null
  /** The map's element, in which the key p is pressed. */
  box: RefObject<HTMLElement | null>
}

export function SecondScene({ realm, stage, shot, box }: Props) {
  const { watching } = useApp()
  const scene = useSecond(realm, stage, shot?.hero ?? null)
  const [large, setLarge] = useState(false)
  const canvas = useRef<HTMLCanvasElement>(null)
  useRoom(realm, scene?.place?.path ?? null, scene?.place?.page ?? 0)
  useEffect(() => stage.watch((p) => setLarge(p.width >= ROOM.width && p.height >= ROOM.height)), [stage])
  const hero = scene?.hero ?? ''
  useEffect(() => {
    if (large && hero && canvas.current) return stage.glimpse(canvas.current, hero)
  }, [stage, large, hero])
  // A layout effect, so that the key p works as soon as the scene is on the page.
  useLayoutEffect(() => {
    const map = box.current
    if (!map || !hero) return
    const onKey = (e: KeyboardEvent) => {
      if (e.key === 'p' && !e.ctrlKey && !e.metaKey && !e.altKey) watching.follow(hero)
    }
    map.addEventListener('keydown', onKey)
    return () => map.removeEventListener('keydown', onKey)
  }, [watching, box, hero])
  if (!scene) return null
  const why = w.why(scene.why)
  return (
    <section class="second-scene" data-size={large ? 'picture' : 'line'} aria-label={w.second} data-testid="second">
      <button
        type="button"
        class="second-show"
        aria-label={w.showSecond(why)}
        title={w.showSecond(why)}
        data-testid="second-show"
        data-why={scene.why.kind}
        data-hero={hero}
        onClick={() => watching.follow(hero)}
      >
        {large && <canvas ref={canvas} class="second-picture" />}
        <span class="second-why">
          <Breakable text={why} />
        </span>
      </button>
      <button
        type="button"
        class="ghost small second-close"
        aria-label={w.closeSecond}
        title={w.closeSecond}
        data-testid="second-close"
        onClick={() => watching.setSecond(false)}
      >
        ×
      </button>
      <p class="visually-hidden" role="status">
        {scene.why.kind === 'door' ? '' : why}
      </p>
    </section>
  )
}
