// Where the person is on the map: the place to which the person moved on this page or, before the first move, the
// room that the server stores.
import { computed, signal } from '@preact/signals'
import type { App } from '../app'
import type { RealmModel } from '../state/model'

interface At {
  path: string
  /** Whether the person is in the room of `path`; false in the country, where `path` is that of the whole folder. */
  inside: boolean
}

/**
 * The getters read computed signals. So a component that reads them renders when the person's place changes, and
 * not when heroes walk.
 */
export class Navigation {
  readonly #app: App
  readonly #realm: RealmModel
  readonly #went = signal<At | null>(null)
  readonly #marked = signal('')

  constructor(app: App, realm: RealmModel) {
    this.#app = app
    this.#realm = realm
  }

  readonly #path = computed((): string => this.#went.value?.path ?? this.#kept ?? '')
  readonly #inside = computed((): boolean => this.#went.value?.inside ?? this.#kept !== undefined)
  readonly #way = computed((): boolean => {
    const me = this.#app.model.me?.spectatorId
    return me !== undefined && (this.#realm.world.navigationState.agentNavStacks[me]?.length ?? 0) > 0
  })

  get #kept(): string | undefined {
    const me = this.#app.model.me?.spectatorId
    return me === undefined ? undefined : this.#realm.world.navigationState.agentCurrentPath[me]
  }

  get path(): string {
    return this.#path.value
  }

  get inside(): boolean {
    return this.#inside.value
  }

  /** Whether there is a previous room. */
  get canGoBack(): boolean {
    return this.#way.value
  }

  /** The path of the file that the map marks because a link or a search led the person to it; '' for none. */
  get marked(): string {
    return this.#marked.value
  }

  /** Goes to the room of a folder. file: the path of a file in it that is marked; '' for none. */
  go(path: string, file = ''): void {
    this.#app.watching.take()
    this.#marked.value = file
    this.#went.value = { path, inside: true }
    this.#app.walk(path)
  }

  back(): void {
    this.#app.watching.take()
    this.#marked.value = ''
    this.#went.value = null // use the server's room
    this.#app.walkBack()
  }

  leave(): void {
    this.#app.watching.take()
    this.#marked.value = ''
    this.#went.value = { path: '', inside: false }
    this.#app.places.go({ kind: 'realm', realmId: this.#realm.id })
  }
}
