// The warnings about files at which coding agents are in each other's way. A person can hide each warning on this page;
// it appears again when the agents of the collision change.
import { useState } from 'preact/hooks'
import type { Collision } from '../net/protocol.gen'
import { CollisionMark } from '../map/collision-mark'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { worktreeOf } from '../state/touches'
import { filesWords } from '../words-files'
import { useApp } from './context'
import { useSelect } from './use-select'

interface Props {
  realm: RealmModel
  /** Shows a file on the map. Called if the person may not open the file. */
  onShow: (path: string) => void
}

export function Collisions({ realm, onShow }: Props) {
  const app = useApp()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [whole, setWhole] = useState(false)
  const all = useSelect(() => (realm.world.collisions ?? []).filter((c) => !hidden.has(keyOf(c))), [realm, hidden])
  const past = useSelect(() => all.filter((c) => isPast(realm, c)).map(keyOf), [realm, all])
  // Files that several agents edit come before files that one agent edits and others have only read.
  const sorted = [...all].sort((a, b) => Number(b.why === 'edits') - Number(a.why === 'edits'))
  const shown = whole ? sorted : sorted.slice(0, 1)
  const more = sorted.length - shown.length
  return (
    <div role="status" class="collisions" data-testid="collisions">
      {all.length > 0 && (
        <ul aria-label={filesWords.collisions(all.length)}>
          {shown.map((c, i) => (
            <li key={keyOf(c)} data-path={c.path}>
              <CollisionMark text="" />
              <span class="collision-words">
                {sentence(realm, c, past.includes(keyOf(c)))} <code>{c.path}</code>
              </span>
              <button
                type="button"
                class="link"
                onClick={() => (app.reads.value ? app.places.openChanges(c.path) : onShow(c.path))}
              >
                {filesWords.show}
              </button>
              {i === 0 && more > 0 && (
                <button type="button" class="link" data-testid="collisions-more" onClick={() => setWhole(true)}>
                  {filesWords.more(more)}
                </button>
              )}
              <button
                type="button"
                class="ghost small"
                aria-label={filesWords.hide}
                title={filesWords.hide}
                onClick={() => setHidden(new Set([...hidden, keyOf(c)]))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function keyOf(c: Collision): string {
  return [c.path, c.why, ...c.agentIds].join(' ')
}

/** Whether none of the agents is at work any more, although the server still warns for a while after the last edit. */
function isPast(realm: RealmModel, c: Collision): boolean {
  const states = c.agentIds.map((id) => realm.world.agents.find((a) => a.id === id)?.state?.state)
  return states.every((s) => s !== undefined && s !== 'working')
}

function sentence(realm: RealmModel, c: Collision, past: boolean): string {
  const names = c.agentIds.map((id) => filesWords.at(nameOf(realm, id), worktreeOf(realm.world, id, c.path)))
  if (c.why === 'edits') return past ? filesWords.edited(names.sort()) : filesWords.edit(names.sort())
  return filesWords.stale(names[0] ?? '', names.slice(1))
}
