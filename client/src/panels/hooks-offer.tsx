// The offer to install hooks, for the person who runs the server. The page shows it while an agent is on the map, the
// settings of the agent's program have no hooks, and the server has received no call from one.
import { useEffect } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { isOpen } from '../state/doors'
import { hooksOf } from '../state/hooks'
import { isRunning } from '../state/roster'
import { hooksWords } from '../words-doors'
import { useApp } from './context'
import { CopyButton } from './copy-button'
import { useOffer } from './use-offer'
import { useSelect } from './use-select'

/** The programs for which there are hooks, as people know them. */
const PROGRAMS: Readonly<Record<string, string>> = { claude: 'Claude Code', codex: 'Codex' }

export function HooksOffer({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const { open, close } = useOffer('hooks-offer')
  const silent = useSelect(() => deafPrograms(realm), [realm])
  const deaf = useSelect(
    () => (realm.programs === null ? [] : silent.filter((p) => hooksOf(realm, p) !== 'installed')),
    [realm, silent],
  )
  const ask = open ? silent.join() : ''
  useEffect(() => {
    if (ask) app.send({ type: 'session:list' })
  }, [app, ask])
  const asked = useSelect(() => realm.world.doors?.some(isOpen) ?? false, [realm])
  if (!open || asked || deaf.length === 0) return null
  const names = deaf.map((p) => PROGRAMS[p]).join(' and ')
  return (
    <section class="offer-bar hooks-offer" aria-label={hooksWords.offer} data-testid="hooks-offer">
      <p>
        {hooksWords.brings(names)} <code>{hooksWords.command}</code>.
        {deaf.includes('codex') && <span class="hooks-trust"> {hooksWords.trust}</span>}
      </p>
      <CopyButton text={() => hooksWords.command} label={hooksWords.copy} testid="hooks-offer-copy" />
      <button type="button" class="ghost small" aria-label={hooksWords.hide} title={hooksWords.hide} onClick={close}>
        ×
      </button>
    </section>
  )
}

/** Returns the programs that have heroes on the map and none of whose sessions has reported by a hook. */
function deafPrograms({ world }: RealmModel): string[] {
  const here = new Set(world.agents.flatMap((a) => (isRunning(a) ? [a.id] : [])))
  const sessions = (world.sessions ?? []).filter((s) => here.has(s.agentId) && !s.parent)
  return Object.keys(PROGRAMS).filter((program) => {
    const own = sessions.filter((s) => s.program === program)
    return own.length > 0 && !own.some((s) => s.hears)
  })
}
