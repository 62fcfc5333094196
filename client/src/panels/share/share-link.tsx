// A link to share, as text and as a QR code, with a choice of the role, the server's address and the place.
import { useState } from 'preact/hooks'
import type { Settings, Share } from '../../net/protocol.gen'
import { linkTo } from '../../net/share'
import type { Place } from '../../place'
import type { RealmModel } from '../../state/model'
import { hasProcess } from '../../state/select'
import { shareWords as w } from '../../words-share'
import { Choice } from '../choice'
import { useApp } from '../context'
import { CopyButton } from '../copy-button'
import { wholeFlags } from '../flags'
import { QrCode } from './qr-code'

type Role = keyof typeof w.roles

export function ShareLink({ realm, share }: { realm: RealmModel; share: Share }) {
  const app = useApp()
  const { settings } = realm.world
  const open = hasOpenRoles(realm)
  const [role, setRole] = useState<Role>(share.open || open ? 'host' : 'spectator')
  const [picked, pick] = useState('0')
  const links = share[role]
  const at = app.places.at.value
  const [to, setTo] = useState<keyof typeof w.places>('realm')
  const choosesPlace = at !== null && at.kind !== 'realm' && realm.world.processState.status === 'completed'
  const realmItself: Place = { kind: 'realm', realmId: realm.id }
  const place = placeFor(role, choosesPlace && to === 'realm' ? realmItself : at, settings)
  const link = linkTo(links[Number(picked)] ?? '', place)
  const flag = share.local ? flagFor(link) : w.tokenFlag
  return (
    <>
      <div class="fields-row fields">
        {!share.open && <Choice label={w.role} testid="share-role" value={role} options={w.roles} onPick={setRole} />}
        {links.length > 1 && (
          <Choice label={w.address} testid="share-address" value={picked} options={hostsOf(links)} onPick={pick} />
        )}
        {choosesPlace && <Choice label={w.place} testid="share-place" value={to} options={w.places} onPick={setTo} />}
      </div>
      <div class="share">
        {!share.local && !share.open && <QrCode text={link} />}
        <div class="fields">
          <label>
            <span>{w.link}</span>
            <input
              readOnly
              data-testid="share-link"
              data-first
              value={link}
              onFocus={(e) => e.currentTarget.select()}
            />
          </label>
          <div class="buttons">
            <CopyButton text={() => link} label={w.copy} testid="share-copy" look="primary" />
          </div>
          {place && <p class="quiet">{w.leads[place.kind]}</p>}
        </div>
      </div>
      <ul class="share-may" data-testid="share-may">
        {mayOf(role, share, settings, open).map((line) => (
          <li key={line}>{wholeFlags(line)}</li>
        ))}
      </ul>
      {(share.local || share.open) && (
        <div class="notice fields" data-testid="share-flag">
          <p>{share.local ? w.local : w.proxied}</p>
          <code>{wholeFlags(flag)}</code>
          <CopyButton text={() => flag} label={w.copyFlag} testid="share-copy-flag" />
        </div>
      )}
    </>
  )
}

/** The flag by which the server listens at all addresses, on the port of the link. */
function flagFor(link: string): string {
  return `-addr 0.0.0.0:${new URL(link).port || '80'}`
}

/** The place that the link opens. Spectators who may not open files get the file's realm instead. */
function placeFor(role: Role, at: Place | null, settings: Settings): Place | null {
  const closed = role === 'spectator' && at?.kind === 'file' && settings.filesFor !== 'everybody'
  return closed ? { kind: 'realm', realmId: at.realmId } : at
}

/** Whether people can take roles of the process. */
function hasOpenRoles({ world }: RealmModel): boolean {
  return hasProcess(world) && world.processState.cast.some((c) => c.kind === 'open')
}

/** open: whether people can take roles of the process. */
function mayOf(role: Role, share: Share, { filesFor, shadowsFor }: Settings, open: boolean): string[] {
  if (share.open) return [share.local ? w.everybody : w.asked]
  const roles = open ? [w.may.roles] : []
  if (role === 'host') return [...roles, w.may.host, w.secret]
  const { watch, speak, files, sessions } = w.may
  return [...roles, watch, speak, files(filesFor === 'everybody'), sessions(shadowsFor === 'everybody'), w.secret]
}

/** The host name of each link, by the index of the link. */
function hostsOf(links: readonly string[]): Record<string, string> {
  return Object.fromEntries(links.map((link, i) => [String(i), new URL(link).host]))
}
