// The marks of the shown place, over the drawing. Their positions follow the camera without a render of the
// component.
import { useEffect, useRef, useState } from 'preact/hooks'
import { directorWords } from '../../words-director'
import type { Projection, Stage } from '../canvas/stage'
import { TILE } from '../canvas/terrain'
import { meets, type Box } from '../canvas/view'
import { Mark } from './map-mark'
import type { MapMark } from './map-marks'
import { PeopleMark } from './people-mark'
import './director.css'

interface Props {
  marks: readonly MapMark[]
  /** The key of the marks' place. The marks are hidden while the drawing still shows another place. */
  at: string
  stage: Stage
  /** The name of the linked folder, which the keep's mark shows. */
  root: string
  onPick: (mark: MapMark) => void
  /** The person takes the camera: the wheel turns over a mark. A drag from a mark is captured by the map. */
  onTake: () => void
}

/** Near the edges, within this distance in CSS pixels, the explanation of a mark opens inwards. */
const EDGE = 150

export function MarksLayer({ marks, at, stage, root, onPick, onTake }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const now = Date.now()
  // The Tab key focuses only one of the marks; arrow keys go from one mark to the next.
  const [chosen, choose] = useState(0)
  const stop = Math.min(chosen, Math.max(0, marks.length - 1))
  const onKey = (e: KeyboardEvent) => {
    const shown = marks.flatMap((_, i) => (isShown(list.current?.children[i]) ? [i] : []))
    const to = next(e.key, stop, shown)
    if (to === null) return
    e.preventDefault()
    e.stopPropagation()
    choose(to)
    list.current?.children[to]?.querySelector('button')?.focus()
  }
  useEffect(() => {
    let was = '' // marks move only if the camera, the canvas or the controls change
    const place = (p: Projection): void => {
      if (!list.current) return
      const { x, y } = p.project(0, 0)
      const over = p.controls.map((c) => `${c.left} ${c.right} ${c.top} ${c.bottom}`).join()
      const key = `${p.at} ${x} ${y} ${p.zoom} ${p.width} ${p.height} ${over}`
      if (key === was) return
      was = key
      list.current.hidden = p.at !== at
      const items = list.current.children
      marks.forEach((m, i) => {
        const li = items[i]
        if (li instanceof HTMLElement) put(li, m, p)
      })
      hideUnder(p.controls, list.current)
      // The mark that the Tab key focuses is always one on the screen.
      choose((i) => (isShown(items[i]) ? i : Math.max(0, [...items].findIndex(isShown))))
    }
    return stage.watch(place)
  }, [stage, marks, at])
  return (
    <ul class="map-marks" data-scenery ref={list} aria-label={directorWords.marks} onKeyDown={onKey} onWheel={onTake}>
      {marks.map((m, i) => (
        <li key={`${m.kind} ${m.path}`} class={m.severities[0] ? `mark-${m.severities[0][0]}` : undefined}>
          {m.glow > 0 && <span class="mark-glow" data-light />}
          {m.kind === 'people' ? (
            <PeopleMark mark={m} name={nameOf(m, root)} stop={i === stop} onPick={onPick} />
          ) : (
            <Mark mark={m} name={nameOf(m, root)} now={now} stop={i === stop} onPick={onPick} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** The name for a mark: the keep has the name of the linked folder. */
function nameOf(m: MapMark, root: string): string {
  return m.path === '' ? root : m.name
}

/** The mark that an arrow key leads to, among those on the screen; null if there is none. */
function next(key: string, at: number, shown: readonly number[]): number | null {
  const i = shown.indexOf(at)
  if (key === 'ArrowRight' || key === 'ArrowDown') return shown[i + 1] ?? shown[0] ?? null
  if (key === 'ArrowLeft' || key === 'ArrowUp') return shown[i - 1] ?? shown.at(-1) ?? null
  return (key === 'Home' ? shown[0] : key === 'End' ? shown.at(-1) : null) ?? null
}

function isShown(li: Element | undefined): boolean {
  return li instanceof HTMLElement && li.style.visibility !== 'hidden'
}

/** Hides the marks under a control like those outside of the screen, because nobody could click them. */
function hideUnder(controls: readonly Box[], list: Element): void {
  const from = list.getBoundingClientRect()
  const under = [...list.children].filter((li) => {
    const b = isShown(li) ? li.querySelector('button')?.getBoundingClientRect() : null
    return b && controls.some((c) => meets(c, b.left - from.left, b.top - from.top, b.width, b.height))
  })
  for (const li of under) if (li instanceof HTMLElement) li.style.visibility = 'hidden'
}

function put(li: HTMLElement, m: MapMark, { project, zoom, width, height }: Projection): void {
  const { x, y } = project(m.x, m.y)
  const hidden = x < 0 || y < 0 || x > width || y > height + EDGE
  li.style.visibility = hidden ? 'hidden' : ''
  if (hidden) return
  li.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`
  li.style.setProperty('--glow', `${Math.round(m.glow * TILE * zoom * 2)}px`)
  li.style.setProperty('--enlarged', zoom < 1.5 ? '1' : '2')
  li.dataset['edge'] = x < EDGE ? 'left' : x > width - EDGE ? 'right' : ''
  li.dataset['side'] = y < 90 ? 'top' : ''
}
