// The largest part of the game screen: the map or, in its place, the result of a process.
import type { ComponentChildren } from 'preact'
import { MapSection } from '../map/map-section'
import type { Navigation } from '../map/navigation'
import { Completion } from '../panels/completion'
import type { RealmModel } from '../state/model'

interface Props {
  realm: RealmModel
  navigation: Navigation
  /** The process whose result is shown; "" while the map is shown. */
  resultOf: string
  onMap: () => void
  onTab: (tab: 'findings' | 'artifacts') => void
  onNew: () => void
  /** Shows the findings beside the map. */
  onFindings: () => void
  /** The elements that are shown on top of the map. */
  over: ComponentChildren
}

export function MainView({ realm, navigation, resultOf, onMap, onTab, onNew, onFindings, over }: Props) {
  if (resultOf === '') {
    return <MapSection key={realm.id} realm={realm} navigation={navigation} onFindings={onFindings} over={over} />
  }
  return <Completion key={resultOf} realm={realm} processId={resultOf} onMap={onMap} onTab={onTab} onNew={onNew} />
}
