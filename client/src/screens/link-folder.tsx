// The form that links a folder: the folder in which the server was started, or a folder whose path a person types.
import { useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { Refusals } from '../panels/refusals'
import type { Model } from '../state/model'
import { words } from '../words'
import { Progress } from './progress'

interface Props {
  wide: boolean
  /** Registers the entered name, if there is one. Returns false if it is invalid. */
  introduce: () => boolean
  path: string
  onPath: (path: string) => void
}

export function LinkFolder({ wide, introduce, path, onPath }: Props) {
  const app = useApp()
  const [pathless, setPathless] = useState(false)
  const offer = newFolder(app.model)
  const linking = app.pending.value.find((p) => p.frame.type === 'player:link-repo' && p.status !== 'refused')
  const link = (folder: string) => {
    const ready = introduce()
    setPathless(folder.trim() === '')
    if (!ready || folder.trim() === '') return
    app.discardRefused('player:link-repo')
    app.send({ type: 'player:link-repo', path: folder.trim() })
  }
  return (
    <section class={wide ? 'card wide' : 'card'}>
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
              onPath(e.currentTarget.value)
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
  )
}

/** The folder that the server offers; "" if it is linked already. The list of realms has a button that opens it. */
function newFolder({ server, realm, realms }: Model): string {
  const offer = server?.offer ?? ''
  const linked = realm?.world.realm.path === offer || realms?.realms.some((r) => r.path === offer)
  return linked ? '' : offer
}
