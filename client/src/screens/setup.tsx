// Who comes, and where to: a name, then a folder, a problem or a realm.
import { useEffect, useState } from 'preact/hooks'
import { HUES, isName, MAX_NAME } from '../identity/identity'
import type { Place } from '../panels/start-process'
import { StartProcess } from '../panels/start-process'
import { useApp } from '../panels/context'
import { Shield } from '../panels/shield'
import { Refusals } from '../panels/refusals'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { Realms } from './realms'
import { Progress } from './progress'

export function Setup() {
  const app = useApp()
  const m = app.model
  const host = app.host.value
  const reason = app.setupReason.value
  const known = app.identity.value
  const [name, setName] = useState(() => known?.name ?? app.drafts.get('name'))
  const [color, setColor] = useState<string>(
    () => known?.color ?? HUES[Math.floor(Math.random() * HUES.length)] ?? HUES[0],
  )
  const [nameless, setNameless] = useState(false)
  const [path, setPath] = useState(() => app.drafts.get('path'))
  const [pathless, setPathless] = useState(false)

  // The list is asked for when somebody comes here and after each reconnect.
  const live = app.live.value
  useEffect(() => {
    if (live) app.send({ type: 'player:list-realms' })
  }, [live, m.welcome?.realmId])

  /** Takes the name before anything else is done with it. */
  const introduce = (): boolean => {
    const said = name.trim()
    if (!isName(said)) {
      setNameless(true)
      document.getElementById('identity-name')?.focus()
      return false
    }
    app.setIdentity({ name: said, color })
    app.drafts.set('name', '')
    return true
  }

  const link = (folder: string) => {
    const ready = introduce()
    setPathless(folder.trim() === '')
    if (!ready || folder.trim() === '') return
    for (const p of app.pending.value)
      if (p.frame.type === 'player:link-repo' && p.status === 'refused') app.discard(p.requestId)
    app.send({ type: 'player:link-repo', path: folder.trim() })
  }

  const offer = m.server?.offer ?? ''
  const linking = app.pending.value.find((p) => p.frame.type === 'player:link-repo' && p.status !== 'refused')
  const realmHere = m.realm
  /** Nothing to go on with yet: the page begins with what begins. */
  const fresh = m.realms !== null && m.realms.realms.length === 0 && realmHere === null
  return (
    <main class="setup" data-testid="setup">
      <div class="setup-body">
        <header class="setup-head">
          <h1>{words.setup.title}</h1>
          {reason.kind === 'chosen' && realmHere && (
            <p class="setup-reason">
              <span class="quiet">{words.setup.chosen}</span>{' '}
              <button type="button" data-testid="back-to-realm" onClick={() => introduce() && app.enter()}>
                {words.setup.back(realmHere.world.realm.name)}
              </button>
            </p>
          )}
          {m.server?.gamePhase === 'analyzing' && (
            <p class="setup-reason" role="status">
              {words.setup.analyzing}
            </p>
          )}
          {reason.kind === 'gone' && (
            <p class="setup-reason notice" role="status" data-testid="gone">
              {words.setup.gone(reason.name)}
            </p>
          )}
        </header>

        <section class="card you">
          <h2>{words.setup.you}</h2>
          <div class="you-fields">
            <Shield id={name || 'you'} name={name || '?'} color={color} />
            <label class="you-name">
              <span>{words.setup.name}</span>
              <input
                id="identity-name"
                data-testid="identity-name"
                value={name}
                maxLength={MAX_NAME * 2}
                autocomplete="nickname"
                aria-invalid={nameless}
                aria-describedby="name-hint"
                onInput={(e) => {
                  setName(e.currentTarget.value)
                  setNameless(false)
                  app.drafts.set('name', e.currentTarget.value)
                }}
                onChange={() => known && isName(name.trim()) && introduce()}
              />
            </label>
            <fieldset class="hues">
              <legend>{words.setup.color}</legend>
              {HUES.map((hue, i) => (
                <label key={hue} class="hue" title={words.setup.hue(i + 1)}>
                  <input
                    type="radio"
                    name="color"
                    data-testid={`color-${i}`}
                    checked={color === hue}
                    onChange={() => {
                      setColor(hue)
                      if (known) app.setIdentity({ name: known.name, color: hue })
                    }}
                    aria-label={words.setup.hue(i + 1)}
                  />
                  <span style={{ background: hue }} />
                </label>
              ))}
            </fieldset>
          </div>
          <p id="name-hint" class={nameless ? 'problem' : 'quiet'} role={nameless ? 'alert' : undefined}>
            {nameless ? words.setup.nameMissing : words.setup.nameHint}
          </p>
          {app.nameRefusal.value && (
            <p class="problem" role="alert">
              {app.nameRefusal.value.message}
            </p>
          )}
        </section>

        {!host && <p class="card notice">{words.setup.spectator}</p>}
        <div class="setup-grid">
          {(!fresh || !host) && (
            <section class={host ? 'card' : 'card wide'}>
              <h2>{words.setup.realms}</h2>
              <Realms introduce={introduce} />
            </section>
          )}

          {host && (
            <section class={fresh ? 'card wide' : 'card'}>
              <h2>{words.setup.folder}</h2>
              <p class="quiet">{words.setup.folderText}</p>
              {offer && (
                <div class="offer">
                  <code>{offer}</code>
                  <button
                    type="button"
                    class="primary"
                    data-testid="link-offer"
                    disabled={linking !== undefined}
                    onClick={() => link(offer)}
                  >
                    {words.setup.offer}
                  </button>
                </div>
              )}
              <form
                class="fields link-form"
                onSubmit={(e) => {
                  e.preventDefault()
                  link(path)
                }}
              >
                <label>
                  <span>{words.setup.path}</span>
                  <input
                    class="mono"
                    data-testid="link-path"
                    value={path}
                    placeholder={words.setup.pathHint}
                    spellcheck={false}
                    autocapitalize="off"
                    aria-invalid={pathless}
                    onInput={(e) => {
                      setPath(e.currentTarget.value)
                      setPathless(false)
                      app.drafts.set('path', e.currentTarget.value)
                    }}
                  />
                </label>
                <button type="submit" data-testid="link-submit" disabled={linking !== undefined}>
                  {words.setup.link}
                </button>
              </form>
              {pathless && (
                <p class="problem" role="alert">
                  {words.setup.pathMissing}
                </p>
              )}
              <Progress />
              <Refusals only={['player:link-repo']} />
            </section>
          )}

          {host && (
            <section class="card wide">
              <h2>{words.setup.problem}</h2>
              <p class="quiet">{words.setup.problemText}</p>
              <StartProcess places={places(realmHere, offer, path.trim())} before={introduce} />
            </section>
          )}
        </div>
      </div>
    </main>
  )
}

/** Where a process may be held, the likeliest first. */
function places(realm: RealmModel | null, offer: string, typed: string): Place[] {
  const out: Place[] = []
  const status = realm?.world.processState.status
  const on = status === 'running' || status === 'paused'
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
  // A realm where a process is on cannot begin another.
  if (on) out.push(...out.splice(0, 1))
  return out
}
