// The map as a drawing: the country or a page of a room, its marks, and the card of what was clicked.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import type { Pick, Stage } from './canvas/stage'
import { Card, type Subject } from './card'
import { PlaceMarks } from './director/place-marks'
import { SceneLine } from './director/scene-line'
import { SecondScene } from './director/second-scene'
import { useScene } from './director/use-scene'
import { DrawnHead } from './drawn-head'
import { MiniMap } from './minimap'
import { RoomRefused } from './room-refused'
import type { Navigation } from './navigation'
import { useMarkedPage } from './use-marked-page'
import { useRoom } from './use-room'
import { useStage } from './use-stage'
import { ZoomButtons } from './zoom-buttons'
import { parent } from './path'

interface Props {
  realm: RealmModel
  navigation: Navigation
  onFail: () => void
  /** Shows the findings of a top-level folder; '' for all. */
  onFindings: (folder: string) => void
  /** The elements that are shown on top of the drawn map. */
  over: ComponentChildren
}

export function DrawnMap({ realm, navigation, onFail, onFindings, over }: Props) {
  const app = useApp()
  const box = useRef<HTMLDivElement>(null)
  const [subject, setSubject] = useState<Subject | null>(null)
  const way = useWay(navigation, () => setSubject(null))
  const onPick = (p: Pick | null) => {
    if (p === null) setSubject(null)
    else if (p.kind === 'site') way.enter(p.path)
    else if (p.kind === 'door') way.door(p)
    else setSubject(p)
  }
  const stage = useStage(box, { realm, onPick, onFail })
  const { shot, place, take, leaf } = useScene(realm, navigation, stage)
  const { marked } = navigation
  useEffect(() => stage?.mark(marked), [stage, marked])
  useDetails(subject)
  const { room, asking } = useRoom(realm, place?.path ?? null, place?.page ?? 0)
  useMarkedPage(room, marked, leaf)
  const onKey = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return
    if (!NOT_BY_HAND.has(e.key)) take()
    if (!moves(stage, e.key)) {
      if (e.key === 'Escape' && subject) setSubject(null)
      else if ((e.key === 'Escape' || e.key === 'Backspace') && place) way.outwards()
      else return
    }
    e.preventDefault()
  }
  const onFile = (path: string) => {
    take()
    setSubject({ kind: 'object', path })
  }
  const marks = { realm, place, onFindings, onGo: way.enter, onFile, onTake: take }
  return (
    <>
      <DrawnHead
        realm={realm}
        navigation={navigation}
        place={place}
        pages={room?.pages ?? 1}
        onGo={way.enter}
        onLeave={way.leave}
        onPage={leaf}
      />
      <div class="drawn-stack">
        <div
          class="drawn"
          ref={box}
          tabIndex={0}
          role="application"
          aria-label={words.map.drawnLabel(place?.path || realm.world.realm.name)}
          data-testid="drawn-map"
          data-place={place ? `room:${place.path}` : 'country'}
          onKeyDown={onKey}
          onGotPointerCapture={take}
          onWheel={take}
        />
        {stage && <PlaceMarks stage={stage} {...marks} />}
        <SceneLine shot={shot} onTake={take} />
        {stage && <SecondScene realm={realm} stage={stage} shot={shot} box={box} />}
        {over}
      </div>
      <ZoomButtons onTake={take} onZoom={(direction) => stage?.zoom(direction)} />
      {place === null && stage && <MiniMap realm={realm} stage={stage} onTake={take} />}
      {asking?.status === 'refused' && <RoomRefused refused={asking} onLeave={way.leave} />}
      {subject && (
        <Card
          realm={realm}
          room={room}
          subject={subject}
          onClose={() => setSubject(null)}
          onFollow={(id) => app.watching.follow(id)}
          onGo={way.enter}
        />
      )}
    </>
  )
}

/** Asks the server for the details of the hero whose card is shown. */
function useDetails(subject: Subject | null): void {
  const app = useApp()
  const hero = subject?.kind === 'hero' ? subject.id : null
  useEffect(() => {
    if (hero) app.send({ type: 'player:get-agent-details', agentId: hero })
  }, [app, hero])
}

interface Way {
  enter: (path: string) => void
  leave: () => void
  /** Goes to the parent folder's room; from a top-level folder to the country. */
  outwards: () => void
  door: (door: { path: string; back: boolean }) => void
}

/** The person's navigation on the map. onGo is called at each move. */
function useWay(navigation: Navigation, onGo: () => void): Way {
  const enter = (to: string) => {
    onGo()
    navigation.go(to)
  }
  const leave = () => {
    navigation.leave()
    onGo()
  }
  return {
    enter,
    leave,
    outwards: () => {
      const { path } = navigation
      if (!path.includes('/')) leave()
      else enter(parent(path))
    },
    door: ({ path, back }) => (back && navigation.path === '' ? leave() : enter(path)),
  }
}

/** Keys that do not move the camera by hand, such as those that move the focus. They leave the director on. */
const NOT_BY_HAND = new Set(['p', 'Tab', 'Shift', 'Control', 'Alt', 'Meta'])

const PANS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  a: [-1, 0],
  d: [1, 0],
  w: [0, -1],
  s: [0, 1],
}

/** Handles a key that moves or zooms the camera. Returns false for any other key. */
function moves(stage: Stage | null, key: string): boolean {
  const pan = PANS[key]
  if (pan) stage?.pan(...pan)
  else if (key === '+' || key === '=') stage?.zoom(1)
  else if (key === '-') stage?.zoom(-1)
  else return false
  return true
}
