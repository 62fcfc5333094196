// The card of a file on the map.
import type { MapChange } from '../net/protocol.gen'
import { stands } from '../state/findings'
import type { RealmModel } from '../state/model'
import { OpenFile } from '../panels/open-file'
import { SeverityMark } from '../panels/severity-mark'
import { useSelect } from '../panels/use-select'
import { bytes, words } from '../words'
import { FileTimeline } from './file-timeline'

export function FileCard({ realm, room, path }: { realm: RealmModel; room: MapChange | undefined; path: string }) {
  const o = room?.room.objects?.find((other) => other.path === path)
  const findings = useSelect(() => realm.world.findings.filter((f) => f.path === path && stands(f)), [realm, path])
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
      {o && o.kind !== 'link' && (
        <p class="buttons">
          <OpenFile path={path} />
        </p>
      )}
      <FileTimeline realm={realm} path={path} />
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
