// The model as components read it: each field of the model, of the realm and of its world is a signal. It has the type
// Model, so that selectors work on it too.
import { batch } from '@preact/signals'
import type { World } from '../net/protocol.gen'
import { EMPTY, type Model, type RealmModel } from './model'
import { slicesOf, type Slices } from './slices'

const MODEL: Readonly<Record<keyof Model, true>> = {
  server: true,
  welcome: true,
  me: true,
  realm: true,
  spectators: true,
  save: true,
  realms: true,
  progress: true,
}

const REALM: Readonly<Record<keyof RealmModel, true>> = {
  id: true,
  epoch: true,
  world: true,
  agentLabels: true,
  views: true,
  streams: true,
  completeFrom: true,
  heads: true,
  moreHeads: true,
  page: true,
  begun: true,
  overtaken: true,
  sessionNotices: true,
  teams: true,
  listed: true,
  programs: true,
  ready: true,
  opened: true,
  receipt: true,
  mapGeneration: true,
  notes: true,
  restored: true,
  thoughts: true,
  reading: true,
  rooms: true,
  details: true,
  stale: true,
  places: true,
  attached: true,
  changes: true,
  moment: true,
}

const WORLD: Readonly<Record<keyof World, true>> = {
  realm: true,
  agents: true,
  map: true,
  mapTree: true,
  country: true,
  objects: true,
  quests: true,
  findings: true,
  artifacts: true,
  tick: true,
  processState: true,
  navigationState: true,
  settings: true,
  fog: true,
  forts: true,
  paths: true,
  explored: true,
  focus: true,
  party: true,
  skills: true,
  erased: true,
  instances: true,
  salvage: true,
  sessions: true,
  doors: true,
  touches: true,
  collisions: true,
  usage: true,
}

/**
 * The signals of one realm. realm.view stays the same object while the page watches the realm, so that a component with
 * this object as a prop does not render for each frame.
 */
interface ShownRealm {
  readonly id: string
  readonly world: Slices<World>
  readonly realm: Slices<RealmModel>
}

export class Shown {
  readonly #model = slicesOf<Model>(MODEL, EMPTY)
  #realm: ShownRealm | null = null

  get model(): Model {
    return this.#model.view
  }

  show(next: Model): void {
    batch(() => this.#model.show({ ...next, realm: this.#showRealm(next.realm) }))
  }

  #showRealm(next: RealmModel | null): RealmModel | null {
    if (next === null) {
      this.#realm = null
      return null
    }
    if (this.#realm?.id !== next.id) {
      const world = slicesOf<World>(WORLD, next.world)
      this.#realm = { id: next.id, world, realm: slicesOf<RealmModel>(REALM, { ...next, world: world.view }) }
    } else {
      this.#realm.world.show(next.world)
      this.#realm.realm.show({ ...next, world: this.#realm.world.view })
    }
    return this.#realm.realm.view
  }
}
