// Loads the game screen, which is a separate bundle so that the first screen is small. The page starts to load it
// early.
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { Boot } from './boot'

type Loaded = ComponentType<{ realm: RealmModel }>

const loaded = signal<Loaded | null>(null)
const failed = signal(false)

/** Loads the game screen. A later call does nothing, unless loading has failed. */
export async function loadGame(): Promise<void> {
  if (loaded.value) return
  failed.value = false
  try {
    loaded.value = (await import('./game-entry')).Game
  } catch {
    failed.value = true // after a restart the server can have a newer page; or the server cannot be reached
  }
}

export function GameScreen({ realm }: { realm: RealmModel }) {
  useEffect(() => void loadGame(), [])
  const Game = loaded.value
  if (Game) return <Game realm={realm} />
  if (!failed.value) return <Boot />
  return (
    <main class="boot">
      <p role="alert">{words.boot.failed}</p>
      <button type="button" class="primary" data-testid="reload" onClick={() => location.reload()}>
        {words.connection.reload}
      </button>
    </main>
  )
}
