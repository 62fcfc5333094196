// The things of one kind in a room, such as its documents.
import type { ReadonlySignal } from '@preact/signals'
import type { RoomObject } from '../net/protocol.gen'
import { OpenFile } from '../panels/open-file'
import { bytes, count, words } from '../words'
import type { RealmModel } from '../state/model'
import type { CollisionsAt } from './collisions'
import type { Flags } from './flags'
import { ThingDrawing } from './thing-drawing'
import { ThingFlag } from './thing-flag'
import { ThingTouches } from './thing-touches'

const intoView = (el: HTMLElement | null) => el?.scrollIntoView({ block: 'nearest' })

interface Props {
  realm: RealmModel
  kind: string
  things: RoomObject[]
  /** The path of the marked thing; '' for none. */
  marked: string
  flags: ReadonlySignal<Flags>
  collisions: ReadonlySignal<CollisionsAt>
}

export function Shelf({ realm, kind, things, marked, flags, collisions }: Props) {
  return (
    <section class="shelf">
      <h3>
        {words.map.kinds[kind] ?? kind} <span class="quiet">{count(things.length)}</span>
      </h3>
      <ul>
        {things.map((t) => (
          <li
            key={t.id}
            class={`thing thing-${kind}${t.path === marked ? ' thing-marked' : ''}`}
            ref={t.path === marked ? intoView : undefined}
            title={[
              t.path,
              ...(t.size === undefined ? [] : [bytes(t.size)]),
              ...(t.touched ? [words.map.touched(t.touched, t.commits ?? 0)] : []),
            ].join(', ')}
          >
            <ThingDrawing kind={kind} />
            {t.kind === 'link' ? <span>{t.name}</span> : <OpenFile path={t.path} name={t.name} />}
            {t.committed === false && (
              <span
                class="mark-open"
                title={
                  t.changed
                    ? `${words.map.uncommitted}; ${words.map.changedAt(t.what ?? 'changed', t.changed)}`
                    : words.map.uncommitted
                }
                role="img"
                aria-label={words.map.uncommitted}
              />
            )}
            <ThingFlag path={t.path} flags={flags} />
            <ThingTouches realm={realm} path={t.path} collisions={collisions} />
          </li>
        ))}
      </ul>
    </section>
  )
}
