// What a running process waits for, with a button for each thing that a person can do. On a phone this is one line with
// the main button, which opens the rest.
import { useState } from 'preact/hooks'
import type { Waiting } from '../net/protocol.gen'
import { useLayout } from '../screens/viewport'
import type { RealmModel } from '../state/model'
import { casting, nameOf } from '../state/select'
import { clock, words } from '../words'
import { StateMark } from './state-mark'
import { WaitingButtons } from './waiting-buttons'

interface Props {
  waiting: Waiting
  realm: RealmModel
  host: boolean
  command: (text: string) => void
}

export function StageWaiting({ waiting, realm, host, command }: Props) {
  const [whole, setWhole] = useState(false)
  const phone = useLayout() === 'phone'
  const folded = phone && !whole
  const open = (waiting.roleIds ?? []).filter((id) => casting(realm, id)?.kind === 'open')
  const many = host && open.length > 1
  return (
    <div
      class={`needs needs-waiting${folded ? ' needs-folded' : ''}`}
      data-testid="waiting"
      data-code={waiting.code}
      role="status"
    >
      <p>
        <StateMark state={waiting.code === 'turn_failed' ? 'interrupted' : 'waiting'} />
        {folded ? (
          <strong>
            {waitsFor(
              titleOf(waiting.code, host),
              open.map((id) => nameOf(realm, id)),
            )}
          </strong>
        ) : (
          <span>
            <strong>{titleOf(waiting.code, host)}.</strong>{' '}
            {!host ? words.stage.hostCan[waiting.code] : !many && waiting.message}
            {waiting.since && <span class="quiet"> {words.stage.waitingSince(clock(waiting.since))}</span>}
          </span>
        )}
      </p>
      {host && <WaitingButtons code={waiting.code} open={open} realm={realm} folded={folded} command={command} />}
      {phone && (
        <button
          type="button"
          class={folded && many ? 'primary' : 'link'}
          aria-expanded={whole}
          data-testid="waiting-more"
          onClick={() => setWhole(!whole)}
        >
          {whole ? words.stage.less : many ? words.stage.takeOne : words.stage.more}
        </button>
      )}
    </div>
  )
}

/** What the process waits for, as host and spectators read it. */
function titleOf(code: Waiting['code'], host: boolean): string {
  return code === 'approval' && !host ? words.stage.waitsForHost : (words.stage.waiting[code] ?? '')
}

/** What the process waits for, in a few words: the title, or the open roles by their names. */
function waitsFor(title: string, names: readonly string[]): string {
  if (names.length > 1) return words.stage.waitingRoles(names.length)
  return names[0] === undefined ? title : words.stage.waitingFor(names[0])
}
