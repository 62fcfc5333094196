// The invisible parts of the game screen: the browser's title, notifications and tones, and announcements for
// screen readers.
import { Alerts } from '../alerts/alerts'
import { AgentsAnnouncer } from '../panels/agents-announcer'
import { DoorsAnnouncer } from '../panels/doors-announcer'
import type { RealmModel } from '../state/model'
import { Title } from './title'

export function Unseen({ realm }: { realm: RealmModel }) {
  return (
    <>
      <Title realm={realm} />
      <Alerts realm={realm} />
      <AgentsAnnouncer realm={realm} />
      <DoorsAnnouncer realm={realm} />
    </>
  )
}
