// The map's place on the page: drawn, where the browser can, or as a list. Both read
// the same facts; the drawing is loaded after the first screen and may fail.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { roomKey, type RealmModel } from '../state/model'
import { linked } from '../state/select'
import { words } from '../words'
import { Card, type Subject } from './card'
import { MiniMap } from './minimap'
import { BackButton, Camp, Crumbs, RoomPage, type Standing } from './room-view'
import type { Pick, Place, Stage } from './canvas/stage'

type Form = 'drawn' | 'list'
const KEY = 'map'

export function MapSection({ standing }: { standing: Standing }) {
  const app = useApp()
  const { realm } = app.model.value
  const [form, setForm] = useState<Form>(() => (canDraw() && app.shelf.get(KEY) !== 'list' ? 'drawn' : 'list'))
  const [failed, setFailed] = useState(false)
  if (!realm) return null
  const bare = !linked(realm.world)
  const pick = (f: Form) => {
    setForm(f)
    app.shelf.set(KEY, f)
  }
  const drawn = form === 'drawn' && !failed
  return (
    <section class="map" data-testid="map" data-form={drawn ? 'drawn' : 'list'} aria-label={words.map.label}>
      <div class="map-forms" role="group" aria-label={words.map.forms}>
        <button
          type="button"
          class="ghost small"
          aria-pressed={drawn}
          disabled={failed || !canDraw()}
          title={failed ? words.map.notDrawn : undefined}
          data-testid="map-drawn"
          onClick={() => pick('drawn')}
        >
          {words.map.drawn}
        </button>
        <button
          type="button"
          class="ghost small"
          aria-pressed={!drawn}
          data-testid="map-list"
          onClick={() => pick('list')}
        >
          {words.map.list}
        </button>
      </div>
      {drawn ? (
        <DrawnMap realm={realm} standing={standing} onFail={() => setFailed(true)} />
      ) : bare ? (
        <Camp realm={realm} />
      ) : (
        <RoomPage key={standing.path} realm={realm} standing={standing} />
      )}
      <Happenings realm={realm} />
    </section>
  )
}

let drawable: boolean | undefined

/** Whether this browser has what the drawing needs; asked once, for each asking takes a context. */
function canDraw(): boolean {
  if (drawable === undefined) {
    try {
      const canvas = document.createElement('canvas')
      const gl = canvas.getContext('webgl2') ?? canvas.getContext('webgl')
      drawable = gl !== null
      gl?.getExtension('WEBGL_lose_context')?.loseContext()
    } catch {
      drawable = false
    }
  }
  return drawable
}

function DrawnMap({ realm, standing, onFail }: { realm: RealmModel; standing: Standing; onFail: () => void }) {
  const app = useApp()
  const box = useRef<HTMLDivElement>(null)
  const [stage, setStage] = useState<Stage | null>(null)
  const { inside } = standing
  const [page, setPage] = useState(0)
  const [subject, setSubject] = useState<Subject | null>(null)
  const place: Place = useMemo(() => (inside ? { path: standing.path, page } : null), [inside, standing.path, page])
  useEffect(() => setPage(0), [standing.path])
  const calm = useMemo(() => matchMedia('(prefers-reduced-motion: reduce)').matches, [])

  const enter = (path: string) => {
    setSubject(null)
    standing.go(path)
  }
  const leave = () => {
    standing.leave()
    setSubject(null)
  }
  const picked = useRef<(p: Pick | null) => void>(() => {})
  picked.current = (p) => {
    if (p === null) return setSubject(null)
    if (p.kind === 'site') return enter(p.path)
    if (p.kind === 'door') return p.back && standing.path === '' ? leave() : enter(p.path)
    setSubject(p)
  }

  useEffect(() => {
    let gone = false
    let made: Stage | null = null
    import('./canvas/stage')
      .then(({ Stage }) => {
        if (gone || !box.current) return
        made = new Stage(box.current, 'atlas', (p) => picked.current(p), onFail)
        setStage(made)
        app.watchMap(() => made?.state ?? null)
      })
      .catch(onFail)
    return () => {
      gone = true
      app.watchMap(() => null)
      made?.destroy()
    }
  }, [])

  const attach = `${realm.id} ${realm.attached}`
  useEffect(() => stage?.update(realm, attach, calm), [stage, realm, attach, calm])
  useEffect(() => stage?.show(place), [stage, place])
  const asked = subject?.kind === 'hero' ? subject.id : null
  useEffect(() => {
    if (asked) app.send({ type: 'player:get-agent-details', agentId: asked })
  }, [asked])
  useRoom(realm, place)

  const refused = app.pending.value.find(
    (p) =>
      p.status === 'refused' &&
      p.frame.type === 'map:room' &&
      p.frame.path === place?.path &&
      (p.frame.page ?? 0) === place.page,
  )
  const room = place ? realm.rooms[roomKey(place.path, place.page)] : undefined
  const top = !standing.path.includes('/')
  const onKey = (e: KeyboardEvent) => {
    const pans: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
      a: [-1, 0],
      d: [1, 0],
      w: [0, -1],
      s: [0, 1],
    }
    const by = pans[e.key]
    if (e.ctrlKey || e.metaKey || e.altKey) return
    if (by) stage?.pan(...by)
    else if (e.key === '+' || e.key === '=') stage?.zoom(1)
    else if (e.key === '-') stage?.zoom(-1)
    else if (e.key === 'Escape' && subject) {
      setSubject(null)
      stage?.follow(null)
    } else if ((e.key === 'Escape' || e.key === 'Backspace') && inside) {
      if (top) leave()
      else enter(standing.path.slice(0, standing.path.lastIndexOf('/')))
    } else return
    e.preventDefault()
  }
  return (
    <>
      <header class="room-head">
        {inside ? (
          <div class="drawn-way">
            <button type="button" class="small" data-testid="map-leave" onClick={leave}>
              {words.map.country}
            </button>
            <BackButton standing={standing} />
            <Crumbs realm={realm} standing={{ ...standing, go: enter }} />
          </div>
        ) : (
          <p class="quiet">
            {realm.world.map.missing
              ? words.map.missing
              : words.map.scanned(realm.world.map.files, realm.world.map.folders)}
          </p>
        )}
        {inside && room && room.pages > 1 && (
          <span class="drawn-pages">
            <button
              type="button"
              class="small"
              disabled={page === 0}
              onClick={() => setPage(page - 1)}
              aria-label={words.map.previous}
            >
              ‹
            </button>{' '}
            {words.map.page(page + 1, room.pages)}{' '}
            <button
              type="button"
              class="small"
              disabled={page + 1 >= room.pages}
              onClick={() => setPage(page + 1)}
              aria-label={words.map.next}
            >
              ›
            </button>
          </span>
        )}
      </header>
      <div
        class="drawn"
        ref={box}
        tabIndex={0}
        role="application"
        aria-label={words.map.drawnLabel(inside ? standing.path || realm.world.realm.name : realm.world.realm.name)}
        data-testid="drawn-map"
        data-place={inside ? `room:${standing.path}` : 'country'}
        onKeyDown={onKey}
      />
      <div class="drawn-tools">
        <button
          type="button"
          class="small"
          aria-label={words.map.closer}
          title={words.map.closer}
          onClick={() => stage?.zoom(1)}
        >
          +
        </button>
        <button
          type="button"
          class="small"
          aria-label={words.map.further}
          title={words.map.further}
          onClick={() => stage?.zoom(-1)}
        >
          −
        </button>
      </div>
      {!inside && stage && <MiniMap realm={realm} stage={stage} />}
      {refused && (
        <div class="map-card" role="alert">
          <p>
            {words.map.failed} {refused.error?.message}
          </p>
          <button
            type="button"
            class="small"
            onClick={() => {
              app.discard(refused.requestId)
              leave()
            }}
          >
            {words.map.country}
          </button>
        </div>
      )}
      {subject && (
        <Card
          realm={realm}
          room={room}
          subject={subject}
          onClose={() => setSubject(null)}
          onFollow={(id) => stage?.follow(id)}
          onGo={(path) => enter(path)}
        />
      )}
    </>
  )
}

/** Asks for the room that is shown where the page does not have it, or has an old one. */
export function useRoom(realm: RealmModel, place: Place): void {
  const app = useApp()
  const live = app.live.value
  const known = place
    ? realm.rooms[roomKey(place.path, place.page)] !== undefined && !realm.stale.has(place.path)
    : true
  const asking =
    place !== null &&
    app.pending.value.some(
      (p) => p.frame.type === 'map:room' && p.frame.path === place.path && (p.frame.page ?? 0) === place.page,
    )
  useEffect(() => {
    if (place && live && !known && !asking) app.send({ type: 'map:room', path: place.path, page: place.page })
  }, [place, live, known, asking])
}

/** The last thing that happened on disk, quietly; several at once are one line. */
function Happenings({ realm }: { realm: RealmModel }) {
  const [shown, setShown] = useState<string | null>(null)
  const { changes, moment } = realm
  const last = changes[changes.length - 1]
  const seen = useRef({ last, moment })
  useEffect(() => {
    const before = seen.current
    if (before.last === last && before.moment === moment) return
    seen.current = { last, moment }
    const fresh = before.last ? changes.slice(changes.lastIndexOf(before.last) + 1) : changes
    const text =
      moment !== before.moment && moment
        ? words.map.moment(moment.moment ?? '', moment.text ?? '')
        : last && fresh.length > 0
          ? [
              words.map.happened(last.path, last.what),
              ...(fresh.length > 1 ? [words.map.alsoHappened(fresh.length - 1)] : []),
            ].join(', ')
          : null
    if (text === null) return
    setShown(text)
    const timer = setTimeout(() => setShown(null), 8_000)
    return () => clearTimeout(timer)
  }, [last, moment])
  return (
    <p class="happening" role="status" aria-live="polite" data-testid="map-happening">
      {shown}
    </p>
  )
}
