// The head of the game screen: its first line, the banners and notices, and the stage bar.
import type { ComponentChild } from 'preact'
import type { GoTo } from '../panels/place'
import { StageBar } from '../panels/stage-bar'
import type { RealmModel } from '../state/model'
import { Head } from './head'
import { Notices } from './notices'
import { Unseen } from './unseen'

interface Props {
  realm: RealmModel
  mapShown: boolean
  /** Shows or hides the map; null if the map is always shown. */
  onMap: (() => void) | null
  onRoom: GoTo
  /** Starts a process; null if there is no stage bar. */
  onStart: (() => void) | null
  /** Shows the result of the process again; null if the page already shows it. */
  onResult: (() => void) | null
  /** The title of the stage, if the stage bar and not the map shows it. */
  title: ComponentChild
}

export function GameHead({ realm, mapShown, onMap, onRoom, onStart, onResult, title }: Props) {
  return (
    <header class="head">
      <Head realm={realm} mapShown={mapShown} onMap={onMap} />
      <Unseen realm={realm} />
      <Notices realm={realm} onRoom={onRoom} />
      {onStart && <StageBar realm={realm} onStart={onStart} onResult={onResult} title={title} />}
    </header>
  )
}
