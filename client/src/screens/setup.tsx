// The setup screen: the form for the person's name, the list of realms, and the forms that link a folder or start a
// process.
import { useEffect, useState } from 'preact/hooks'
import type { Place } from '../panels/start-process'
import { StartProcess } from '../panels/start-process'
import { useApp } from '../panels/context'
import { useYou } from '../panels/use-you'
import type { RealmModel } from '../state/model'
import { hasProcess } from '../state/select'
import { words } from '../words'
import { LinkFolder } from './link-folder'
import { Realms } from './realms'
import { SetupHead } from './setup-head'
import { YouCard } from './you-card'

export function Setup() {
  const app = useApp()
  const m = app.model
  const host = app.host.value
  const you = useYou()
  const [path, setPath] = useState(() => app.drafts.get('path'))
  // Asks for the list of realms when the setup opens and after each reconnect.
  const live = app.live.value
  const realmId = m.welcome?.realmId
  useEffect(() => {
    if (live) app.send({ type: 'player:list-realms' })
  }, [app, live, realmId])

  const offer = m.server?.offer ?? ''
  const realmHere = m.realm
  const reason = app.setupReason.value
  const begun = reason.kind === 'none' && reason.begun
  /** Whether there is no realm yet. Then the forms that make a realm come first. */
  const fresh = m.realms !== null && m.realms.realms.length === 0 && realmHere === null
  return (
    <main class="setup" data-testid="setup">
      <div class="setup-body">
        <SetupHead introduce={you.introduce} />

        <YouCard you={you} />

        {!host && <p class="card notice">{words.setup.spectator}</p>}
        <div class="setup-grid">
          {(!fresh || !host) && (
            <section class={host ? 'card' : 'card wide'}>
              <h2>{words.setup.realms}</h2>
              <Realms introduce={you.introduce} />
            </section>
          )}

          {host && <LinkFolder wide={fresh} introduce={you.introduce} path={path} onPath={setPath} />}

          {host && (
            <section class="card wide">
              <h2>{words.setup.problem}</h2>
              <p class="quiet">{words.setup.problemText}</p>
              <StartProcess
                places={places(realmHere, offer, path.trim())}
                like={begun ? m.server?.templates.find((t) => t.driver !== 'scout')?.id : undefined}
                before={you.introduce}
              />
            </section>
          )}
        </div>
      </div>
    </main>
  )
}

/** The places where a process can start, the most likely first. */
function places(realm: RealmModel | null, offer: string, typed: string): Place[] {
  const out: Place[] = []
  const on = realm !== null && hasProcess(realm.world)
  if (realm)
    out.push({
      value: 'here',
      label: words.setup.here(realm.world.realm.name),
      folder: !!realm.world.realm.path,
      ...(on ? { busy: words.setup.busy(realm.world.realm.name) } : {}),
    })
  if (offer && realm?.world.realm.path !== offer)
    out.push({ value: 'offer', label: words.setup.offered(offer), path: offer, folder: true })
  if (typed && typed !== offer) out.push({ value: 'typed', label: words.setup.typed, path: typed, folder: true })
  const nowhere = { value: 'nowhere', label: words.setup.nowhere, bare: true, folder: false }
  if (realm) out.push(nowhere)
  else out.unshift(nowhere)
  // In a realm in which a process runs no other process can start, so offer this realm last.
  if (on) out.push(...out.splice(0, 1))
  return out
}
