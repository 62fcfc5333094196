// The marks of the shown place: of the houses in the country, of files and doors in a room, and of people.
import { useMemo } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { usePart, useSelect } from '../../panels/use-select'
import { roomKey, type RealmModel } from '../../state/model'
import { onlookers, type Onlooker } from '../../state/people'
import { linked } from '../../state/select'
import { placeKey, type Place } from '../canvas/place'
import type { Stage } from '../canvas/stage'
import { useRoom } from '../use-room'
import { folderFor, houseMarks, roomMarks, type MapMark } from './map-marks'
import { MarksLayer } from './marks-layer'
import { isAtFile, peopleAtHouses, peopleInRoom } from './people'

interface Props {
  realm: RealmModel
  stage: Stage
  place: Place
  /** Shows the findings of a top-level folder; '' for all. */
  onFindings: (folder: string) => void
  onGo: (path: string) => void
  onFile: (path: string) => void
  /** The person takes the camera from the director. */
  onTake: () => void
}

export function PlaceMarks({ realm, stage, place, onFindings, onGo, onFile, onTake }: Props) {
  const bare = usePart(() => !linked(realm.world), [realm])
  // Load the room of the linked folder, which has the uncommitted files and the ages of the top-level folders.
  useRoom(realm, place === null && !bare ? '' : null, 0)
  const at = placeKey(place)
  const app = useApp()
  const marks = useSelect(
    () => [...marksOf(realm, place), ...peopleOf(realm, place, onlookers(app.model))],
    [realm, place, app],
  )
  const name = usePart(() => realm.world.realm.name, [realm])
  const onPick = useMemo(
    () => (m: MapMark) => {
      const { country, findings } = realm.world
      if (m.kind === 'file' || isAtFile(m)) onFile(m.path)
      else if (m.kind === 'house' && m.total > 0) onFindings(folderFor(country.sites, findings, m.path))
      else onGo(m.path)
    },
    [realm, onFindings, onGo, onFile],
  )
  return <MarksLayer marks={marks} at={at} stage={stage} root={name} onPick={onPick} onTake={onTake} />
}

function marksOf({ world, rooms }: RealmModel, place: Place): MapMark[] {
  if (place !== null) {
    const room = rooms[roomKey(place.path, place.page)]
    return room ? roomMarks(room, world.findings) : []
  }
  const root = Object.values(rooms).filter((r) => r.path === '')
  return houseMarks(world.country.sites, world.findings, root, Date.now())
}

function peopleOf({ world, rooms }: RealmModel, place: Place, people: readonly Onlooker[]): MapMark[] {
  if (place === null) return peopleAtHouses(world.country.sites, people)
  const room = rooms[roomKey(place.path, place.page)]
  return room ? peopleInRoom(room, people) : []
}
