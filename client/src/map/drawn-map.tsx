// The map as a drawing: the country or a page of a room, and the card of what was clicked.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import type { Pick, Place, Stage } from './canvas/stage'
import { Card, type Subject } from './card'
import { DrawnHead } from './drawn-head'
import { MiniMap } from './minimap'
import { RoomRefused } from './room-refused'
import type { Navigation } from './navigation'
import { useRoom } from './use-room'
import { useStage } from './use-stage'
import { ZoomButtons } from './zoom-buttons'

interface Props {
  realm: RealmModel
  navigation: Navigation
  onFail: () => void
}

export function DrawnMap({ realm, navigation, onFail }: Props) {
  const app = useApp()
  const box = useRef<HTMLDivElement>(null)
  const { inside, path } = navigation
  const [page, setPage] = useState(0)
  const [subject, setSubject] = useState<Subject | null>(null)
  const place: Place = useMemo(() => (inside ? { path, page } : null), [inside, path, page])
  useEffect(() => setPage(0), [path])
  const enter = (to: string) => {
    setSubject(null)
    navigation.go(to)
  }
  const leave = () => {
    navigation.leave()
    setSubject(null)
  }
  const onPick = (p: Pick | null) => {
    if (p === null) return setSubject(null)
    if (p.kind === 'site') return enter(p.path)
    if (p.kind === 'door') return p.back && path === '' ? leave() : enter(p.path)
    setSubject(p)
  }
  const stage = useStage(box, { realm, place, onPick, onFail })
  const hero = subject?.kind === 'hero' ? subject.id : null
  useEffect(() => {
    if (hero) app.send({ type: 'player:get-agent-details', agentId: hero })
  }, [app, hero])
  const { room, asking } = useRoom(realm, inside ? path : null, page)
  const outwards = () => {
    if (!path.includes('/')) leave()
    else enter(path.slice(0, path.lastIndexOf('/')))
  }
  const onKey = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return
    if (!moves(stage, e.key)) {
      if (e.key === 'Escape' && subject) {
        setSubject(null)
        stage?.follow(null)
      } else if ((e.key === 'Escape' || e.key === 'Backspace') && inside) outwards()
      else return
    }
    e.preventDefault()
  }
  return (
    <>
      <DrawnHead
        realm={realm}
        navigation={navigation}
        page={page}
        pages={room?.pages ?? 1}
        onGo={enter}
        onLeave={leave}
        onPage={setPage}
      />
      <div
        class="drawn"
        ref={box}
        tabIndex={0}
        role="application"
        aria-label={words.map.drawnLabel((inside && path) || realm.world.realm.name)}
        data-testid="drawn-map"
        data-place={inside ? `room:${path}` : 'country'}
        onKeyDown={onKey}
      />
      <ZoomButtons onZoom={(direction) => stage?.zoom(direction)} />
      {!inside && stage && <MiniMap realm={realm} stage={stage} />}
      {asking?.status === 'refused' && <RoomRefused refused={asking} onLeave={leave} />}
      {subject && (
        <Card
          realm={realm}
          room={room}
          subject={subject}
          onClose={() => setSubject(null)}
          onFollow={(id) => stage?.follow(id)}
          onGo={enter}
        />
      )}
    </>
  )
}

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
