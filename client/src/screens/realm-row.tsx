// A realm in the list, with buttons that open and remove it.
import type { RealmInfo } from '../net/protocol.gen'
import { useApp } from '../panels/context'
import { RealmAgents } from './realm-agents'
import { ago, bytes, facts, moment, plural, words } from '../words'

interface Props {
  realm: RealmInfo
  /** The id of the realm that this socket watches; null for none. */
  here: string | null
  onGo: (id: string) => void
  onRemove: (realm: RealmInfo) => void
}

export function RealmRow({ realm: r, here, onGo, onRemove }: Props) {
  const app = useApp()
  const host = app.host.value
  const busy = app.pending.value.some(
    (p) =>
      p.status !== 'refused' &&
      (p.frame.type === 'player:resume-realm' || p.frame.type === 'player:remove-realm') &&
      p.frame.realmId === r.id,
  )
  return (
    <li class="realm" data-testid={`realm-${r.id}`} data-status={r.status}>
      <div class="realm-text">
        <strong>{r.name}</strong>
        {r.id === here && <span class="chip">{words.setup.open}</span>}
        {r.id === app.lastRealmId && r.id !== here && <span class="chip">{words.setup.lastTime}</span>}
        {host && <span class="quiet path">{r.path || words.setup.noFolder}</span>}
        {r.id === here && <RealmAgents id={r.id} />}
        <span class="quiet">
          {facts([
            r.early ? words.setup.ended : words.setup.status[r.status],
            r.stage,
            r.findings > 0 ? plural(r.findings, 'finding') : '',
            r.files > 0 ? plural(r.files, 'file') : '',
            bytes(r.bytes),
          ])}
        </span>
        <span class="quiet" title={r.lastExplored ? moment(r.lastExplored) : undefined}>
          {words.setup.lastExplored(ago(r.lastExplored, Date.now()))}
        </span>
      </div>
      <div class="buttons">
        {(host || r.id === here) && (
          <button
            type="button"
            class="primary"
            data-testid={r.id === here ? `join-${r.id}` : `resume-${r.id}`}
            disabled={busy}
            onClick={() => onGo(r.id)}
          >
            {r.id === here ? words.setup.join : words.setup.resume}
          </button>
        )}
        {host && (
          <button
            type="button"
            class="ghost"
            data-testid={`remove-${r.id}`}
            disabled={busy}
            onClick={() => onRemove(r)}
          >
            {words.setup.remove}
          </button>
        )}
      </div>
    </li>
  )
}
