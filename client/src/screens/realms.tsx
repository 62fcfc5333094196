// The list of realms.
import { useState } from 'preact/hooks'
import type { RealmInfo } from '../net/protocol.gen'
import { useApp } from '../panels/context'
import { Confirm } from '../panels/confirm'
import { Refusals } from '../panels/refusals'
import { words } from '../words'
import { RealmAgents } from './realm-agents'
import { RealmRow } from './realm-row'

export function Realms({ introduce }: { introduce: () => boolean }) {
  const app = useApp()
  const m = app.model
  const [removing, setRemoving] = useState<RealmInfo | null>(null)
  const host = app.host.value
  const here = m.welcome?.realmId ?? null
  const list = [...(m.realms?.realms ?? [])].sort(
    (a, b) => rank(b, here) - rank(a, here) || (b.lastExplored ?? '').localeCompare(a.lastExplored ?? ''),
  )
  // A person can also enter the realm that this socket watches if the list does not have it yet.
  const joinable = here !== null && m.realm !== null && !list.some((r) => r.id === here)

  const go = (id: string) => {
    if (!introduce()) return
    if (id === here) {
      app.enter()
      return
    }
    app.discardRefused('player:resume-realm')
    app.send({ type: 'player:resume-realm', realmId: id })
  }

  if (m.realms === null && !joinable) return <p class="quiet">{words.setup.realmsLoading}</p>
  return (
    <>
      {list.length === 0 && !joinable && (
        <p class="quiet">{host ? words.setup.noRealms : words.setup.nothingToWatch}</p>
      )}
      <ul class="realm-list">
        {joinable && m.realm && (
          <li class="realm" data-testid={`realm-${m.realm.id}`}>
            <div class="realm-text">
              <strong>{m.realm.world.realm.name}</strong> <span class="chip">{words.setup.open}</span>
              <RealmAgents id={m.realm.id} />
            </div>
            <div class="buttons">
              <button
                type="button"
                class="primary"
                data-testid={`join-${m.realm.id}`}
                onClick={() => go(m.realm?.id ?? '')}
              >
                {words.setup.join}
              </button>
            </div>
          </li>
        )}
        {list.map((r) => (
          <RealmRow key={r.id} realm={r} here={here} onGo={go} onRemove={setRemoving} />
        ))}
      </ul>
      <Refusals only={['player:resume-realm', 'player:remove-realm']} />
      {removing && (
        <Confirm
          title={words.setup.removeAsk(removing.name)}
          text={words.setup.removeText}
          yes={words.setup.removeYes}
          no={words.setup.cancel}
          onYes={() => {
            app.send({ type: 'player:remove-realm', realmId: removing.id })
            setRemoving(null)
          }}
          onNo={() => setRemoving(null)}
        />
      )}
    </>
  )
}

function rank(r: RealmInfo, here: string | null): number {
  return r.id === here ? 1 : 0
}
