// What is known of something on the map: a file, a hero, a fort.
import type { MapChange } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { SeverityMark } from '../panels/marks'
import { HeroActions } from '../panels/talk/hero-actions'
import { activityWord, bytes, count, words } from '../words'

export type Subject = { kind: 'hero'; id: string } | { kind: 'fort'; id: string } | { kind: 'object'; path: string }

interface Props {
  realm: RealmModel
  room: MapChange | undefined
  subject: Subject
  onClose: () => void
  onFollow: (id: string) => void
  onGo: (path: string) => void
}

export function Card({ realm, room, subject, onClose, onFollow, onGo }: Props) {
  return (
    <div class="map-card" data-testid="map-card" role="dialog" aria-label={words.map.card}>
      <button type="button" class="ghost small card-close" aria-label={words.close} onClick={onClose}>
        ×
      </button>
      {subject.kind === 'object' ? (
        <FileCard realm={realm} room={room} path={subject.path} />
      ) : subject.kind === 'hero' ? (
        <HeroCard realm={realm} id={subject.id} onFollow={onFollow} onGo={onGo} />
      ) : (
        <FortCard realm={realm} id={subject.id} />
      )}
    </div>
  )
}

function FileCard({ realm, room, path }: { realm: RealmModel; room: MapChange | undefined; path: string }) {
  const o = room?.room.objects?.find((other) => other.path === path)
  const findings = realm.world.findings.filter((f) => f.path === path && !f.withdrawn)
  return (
    <>
      <h3 class="mono">{o?.name ?? path}</h3>
      {o ? (
        <ul class="facts">
          <li>
            {words.map.kinds[o.kind] ?? o.kind}, {bytes(o.size ?? 0)}
          </li>
          {o.changed && <li>{words.map.changedAt(o.what ?? 'changed', o.changed)}</li>}
          {o.committed === false && <li>{words.map.uncommitted}</li>}
          {o.committed === true && !o.changed && <li>{words.map.committed}</li>}
          {o.touched && <li>{words.map.touched(o.touched, o.commits ?? 0)}</li>}
        </ul>
      ) : (
        <p class="quiet">{words.map.gone}</p>
      )}
      {findings.length > 0 && (
        <ul class="card-findings">
          {findings.slice(0, 5).map((f) => (
            <li key={f.id}>
              <SeverityMark severity={f.severity} /> {f.title}
            </li>
          ))}
          {findings.length > 5 && <li class="quiet">{words.map.flags(findings.length - 5)}</li>}
        </ul>
      )}
    </>
  )
}

function HeroCard({
  realm,
  id,
  onFollow,
  onGo,
}: {
  realm: RealmModel
  id: string
  onFollow: (id: string) => void
  onGo: (path: string) => void
}) {
  const a = realm.world.agents.find((other) => other.id === id)
  if (!a) return <p class="quiet">{words.map.left}</p>
  const details = realm.details[id]
  const found = realm.world.findings.filter((f) => f.agentId === id && !f.withdrawn).length
  return (
    <>
      <h3>{a.displayName}</h3>
      <ul class="facts">
        <li>{a.inside ? words.map.within(a.realm || words.map.keep) : words.map.outside}</li>
        {a.activity && (
          <li>
            {a.walk?.target && a.activity === 'reading' ? words.map.reads(a.walk.target) : activityWord(a.activity)}
          </li>
        )}
        <li>{words.map.found(found)}</li>
      </ul>
      {details?.persona && <p class="quiet card-persona">{details.persona}</p>}
      {(details?.insights.length ?? 0) > 0 && (
        <>
          <h4>{words.map.learned}</h4>
          <ul class="card-findings" data-testid="card-insights">
            {details!.insights.slice(0, 5).map((i, n) => (
              <li key={n}>{i.text}</li>
            ))}
          </ul>
        </>
      )}
      <div class="buttons">
        <button type="button" class="small" data-testid="follow" onClick={() => onFollow(id)}>
          {words.map.follow}
        </button>
        {a.inside && (
          <button type="button" class="small" onClick={() => onGo(a.realm)}>
            {words.map.goThere}
          </button>
        )}
        <HeroActions id={id} />
      </div>
    </>
  )
}

function FortCard({ realm, id }: { realm: RealmModel; id: string }) {
  const f = realm.world.forts.find((other) => other.agentId === id)
  if (!f) return <p class="quiet">{words.map.gone}</p>
  return (
    <>
      <h3>{words.map.fortOf(f.name)}</h3>
      <ul class="facts">
        <li>
          {words.map.fortStages[f.stage - 1]} <span class="quiet">({count(f.stage)}/5)</span>
        </li>
        <li>{words.map.biome(f.biome)}</li>
      </ul>
    </>
  )
}
