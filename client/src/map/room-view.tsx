// The map for now: one room at a time as the server serves it, with its doors,
// what lies in it, who stands in it and where findings are planted. It draws what
// is there; walking and light come with the dungeon.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Door, Finding, MapChange, RoomObject } from '../net/protocol.gen'
import { Shield } from '../panels/marks'
import { useApp } from '../panels/context'
import { HeroMenu } from '../panels/talk/hero-actions'
import { roomKey, type RealmModel } from '../state/model'
import { bytes, count, words } from '../words'
import { Campfire, DoorDrawing, Flag, ThingDrawing } from './drawings'

/** The order in which a room shows its things. */
const KINDS = ['doc', 'config', 'file', 'test', 'link']

export interface Standing {
  path: string
  /** Within the room of path, or out in the country. */
  inside: boolean
  go: (path: string) => void
  /** To the room before, null where there is none. */
  back: (() => void) | null
  leave: () => void
}

/** Where the reader is: the room that the server remembers, until they go on. */
export function useStanding(realmId: string): Standing {
  const app = useApp()
  const [at, setAt] = useState<{ realmId: string; path: string; inside: boolean } | null>(null)
  const { me, realm } = app.model.value
  const kept = me && realm?.id === realmId ? realm.world.navigationState.agentCurrentPath[me.spectatorId] : undefined
  const here = at?.realmId === realmId ? at : { path: kept ?? '', inside: kept !== undefined }
  return {
    path: here.path,
    inside: here.inside,
    go: (path) => {
      setAt({ realmId, path, inside: true })
      app.walk(path)
    },
    back:
      me && (realm?.world.navigationState.agentNavStacks[me.spectatorId]?.length ?? 0) > 0
        ? () => {
            setAt(null) // where the server says
            app.walkBack()
          }
        : null,
    leave: () => setAt({ realmId, path: here.path, inside: false }),
  }
}

export function Camp({ realm }: { realm: RealmModel }) {
  return (
    <div class="camp">
      <div class="camp-ring">
        {realm.world.agents.map((a) => (
          <span key={a.id} title={words.map.standing(a.displayName)}>
            <Shield id={a.id} name={a.displayName} color={a.color} />
          </span>
        ))}
      </div>
      <Campfire />
      <h2>{words.map.bare}</h2>
      <p class="quiet">{words.map.bareText}</p>
    </div>
  )
}

export function RoomPage({ realm, standing }: { realm: RealmModel; standing: Standing }) {
  const app = useApp()
  const [page, setPage] = useState(0)
  const { path } = standing
  const change = realm.rooms[roomKey(path, page)]
  const asking = app.pending.value.find(
    (p) => p.frame.type === 'map:room' && p.frame.path === path && (p.frame.page ?? 0) === page,
  )
  const ask = () => {
    if (asking?.status === 'refused') app.discard(asking.requestId)
    app.send({ type: 'map:room', path, page })
  }
  const live = app.live.value
  const old = realm.stale.has(path)
  useEffect(() => {
    if ((change === undefined || old) && asking === undefined && live) ask()
  }, [change, asking, live, old])
  const flags = useFlags(realm.world.findings)

  return (
    <>
      <header class="room-head">
        <span class="drawn-way">
          <BackButton standing={standing} />
          <Crumbs realm={realm} standing={standing} />
        </span>
        <p class="quiet">{words.map.scanned(realm.world.map.files, realm.world.map.folders)}</p>
      </header>
      {realm.world.map.missing && (
        <p class="map-missing" role="status">
          {words.map.missing}
        </p>
      )}
      {change ? (
        <Room change={change} realm={realm} standing={standing} flags={flags} onPage={setPage} />
      ) : asking?.status === 'refused' ? (
        <div class="empty" role="alert">
          <p>
            {words.map.failed} {asking.error?.message}
          </p>
          <div class="buttons">
            <button type="button" onClick={ask}>
              {words.map.again}
            </button>
            {path !== '' && (
              <button type="button" onClick={() => standing.go(parent(path))}>
                {words.map.back}
              </button>
            )}
          </div>
        </div>
      ) : (
        <p class="empty quiet">{words.map.loading}</p>
      )}
    </>
  )
}

export function BackButton({ standing }: { standing: Standing }) {
  return (
    <button
      type="button"
      class="small"
      data-testid="map-back"
      disabled={standing.back === null}
      onClick={() => standing.back?.()}
    >
      {words.map.back}
    </button>
  )
}

/** Where everybody is and what their camps have come to: what the drawing shows, as words. */
function Whereabouts({ realm, standing }: { realm: RealmModel; standing: Standing }) {
  const { agents, forts } = realm.world
  if (agents.length === 0) return null
  return (
    <section class="whereabouts" data-testid="whereabouts">
      <h3>{words.map.heroes}</h3>
      <ul>
        {agents.map((a) => {
          const fort = forts.find((f) => f.agentId === a.id)
          return (
            <li key={a.id}>
              <HeroMenu id={a.id} name={a.displayName} />
              <strong>{a.displayName}</strong>{' '}
              {a.inside ? (
                <button type="button" class="link" onClick={() => standing.go(a.realm)}>
                  {words.map.within(a.realm || words.map.keep)}
                </button>
              ) : (
                <span>{words.map.outside}</span>
              )}
              {a.activity === 'reading' && a.walk?.target && <span>, {words.map.reads(a.walk.target)}</span>}
              {fort && <span class="quiet">. {words.map.fortStages[fort.stage - 1]}.</span>}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export function Crumbs({ realm, standing }: { realm: RealmModel; standing: Standing }) {
  const parts = standing.path === '' ? [] : standing.path.split('/')
  return (
    <nav class="crumbs" aria-label={words.map.room(standing.path || realm.world.realm.name)}>
      <button
        type="button"
        class="link"
        onClick={() => standing.go('')}
        aria-current={parts.length === 0 ? 'page' : undefined}
      >
        {realm.world.realm.name}
      </button>
      {parts.map((part, i) => (
        <span key={i}>
          <span class="quiet"> / </span>
          <button
            type="button"
            class="link"
            onClick={() => standing.go(parts.slice(0, i + 1).join('/'))}
            aria-current={i === parts.length - 1 ? 'page' : undefined}
          >
            {readable(part)}
          </button>
        </span>
      ))}
    </nav>
  )
}

interface Flags {
  /** The worst finding at a path. */
  at: ReadonlyMap<string, Finding['severity']>
  /** How many findings lie at or below a folder. */
  below: ReadonlyMap<string, number>
}

const RANK: Record<Finding['severity'], number> = { info: 0, low: 1, medium: 2, high: 3, critical: 4 }

function useFlags(findings: readonly Finding[]): Flags {
  return useMemo(() => {
    const at = new Map<string, Finding['severity']>()
    const below = new Map<string, number>()
    for (const f of findings) {
      if (f.path === '' || f.withdrawn) continue
      const worst = at.get(f.path)
      if (worst === undefined || RANK[f.severity] > RANK[worst]) at.set(f.path, f.severity)
      for (let folder = f.path; folder !== ''; folder = parent(folder)) below.set(folder, (below.get(folder) ?? 0) + 1)
    }
    return { at, below }
  }, [findings])
}

function Room({
  change,
  realm,
  standing,
  flags,
  onPage,
}: {
  change: MapChange
  realm: RealmModel
  standing: Standing
  flags: Flags
  onPage: (page: number) => void
}) {
  const { room } = change
  const doors = room.doors ?? []
  const things = room.objects ?? []
  const here = realm.world.agents.filter((a) => a.inside && a.realm === change.path)
  return (
    <div
      class="room scroll"
      tabIndex={0}
      role="group"
      aria-label={words.map.room(change.path || words.map.root)}
      data-testid="room"
      data-path={change.path}
    >
      <div class="walls">
        {here.length > 0 && (
          <div class="standing">
            {here.map((a) => (
              <span
                key={a.id}
                class={a.status === 'running' ? 'hero lit' : 'hero'}
                title={words.map.standing(a.displayName)}
              >
                <Shield id={a.id} name={a.displayName} color={a.color} />
                <span>{a.displayName}</span>
              </span>
            ))}
          </div>
        )}
        {doors.length > 0 && (
          <ul class="doors" aria-label={words.map.doors}>
            {[...doors]
              .sort((a, b) => Number(b.back ?? false) - Number(a.back ?? false))
              .map((d) => (
                <li key={d.id}>
                  <DoorButton
                    door={d}
                    flags={flags.below.get(d.path) ?? 0}
                    onGo={() => standing.go(d.path)}
                    rootName={realm.world.realm.name}
                  />
                </li>
              ))}
          </ul>
        )}
        {KINDS.map((kind) => {
          const group = things.filter((t) => (KINDS.includes(t.kind) ? t.kind : 'file') === kind)
          return group.length > 0 && <Shelf key={kind} kind={kind} things={group} flags={flags} />
        })}
        {things.length === 0 && doors.every((d) => d.back) && <p class="empty quiet">{words.map.empty}</p>}
        <Whereabouts realm={realm} standing={standing} />
      </div>
      {change.pages > 1 && (
        <nav class="pages">
          <button type="button" class="small" disabled={change.page === 0} onClick={() => onPage(change.page - 1)}>
            {words.map.previous}
          </button>
          <span class="quiet">{words.map.page(change.page + 1, change.pages)}</span>
          <button
            type="button"
            class="small"
            disabled={change.page + 1 >= change.pages}
            onClick={() => onPage(change.page + 1)}
          >
            {words.map.next}
          </button>
        </nav>
      )}
    </div>
  )
}

function DoorButton({
  door,
  flags,
  onGo,
  rootName,
}: {
  door: Door
  flags: number
  onGo: () => void
  rootName: string
}) {
  const name = door.back ? words.map.up(door.path === '' ? rootName : door.name) : door.name
  return (
    <button type="button" class={door.back ? 'door door-back' : 'door'} onClick={onGo} title={name}>
      <DoorDrawing back={door.back ?? false} />
      <span class="door-name">{name}</span>
      {!door.back && <span class="quiet">{words.map.files(door.files)}</span>}
      {!door.back && (door.uncommitted ?? 0) > 0 && (
        <span
          class="mark-open"
          title={words.map.uncommittedBelow(door.uncommitted ?? 0)}
          role="img"
          aria-label={words.map.uncommittedBelow(door.uncommitted ?? 0)}
        />
      )}
      {!door.back && flags > 0 && (
        <span class="door-flags" title={words.map.flags(flags)}>
          <Flag severity="medium" /> {count(flags)}
        </span>
      )}
    </button>
  )
}

function Shelf({ kind, things, flags }: { kind: string; things: RoomObject[]; flags: Flags }) {
  return (
    <section class="shelf">
      <h3>
        {words.map.kinds[kind] ?? kind} <span class="quiet">{count(things.length)}</span>
      </h3>
      <ul>
        {things.map((t) => {
          const flag = flags.at.get(t.path)
          return (
            <li
              key={t.id}
              class={`thing thing-${kind}`}
              title={[
                t.path,
                ...(t.size === undefined ? [] : [bytes(t.size)]),
                ...(t.touched ? [words.map.touched(t.touched, t.commits ?? 0)] : []),
              ].join(', ')}
            >
              <ThingDrawing kind={kind} />
              <span>{t.name}</span>
              {t.committed === false && (
                <span
                  class="mark-open"
                  title={
                    t.changed
                      ? `${words.map.uncommitted}; ${words.map.changedAt(t.what ?? 'changed', t.changed)}`
                      : words.map.uncommitted
                  }
                  role="img"
                  aria-label={words.map.uncommitted}
                />
              )}
              {flag && <Flag severity={flag} />}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function parent(path: string): string {
  const i = path.lastIndexOf('/')
  return i < 0 ? '' : path.slice(0, i)
}

/** A path's part as people read it: bytes that are not UTF-8 stay %XX. */
function readable(part: string): string {
  return part.replaceAll('%25', '%')
}
