// Beginning a forge: nothing has to be said before the smith's first question.
import type { App } from '../../app'
import type { SendResult } from '../../net/outbox'

export const NAME = 'forge'

export function beginForge(app: App): SendResult {
  return app.talks.start({ kind: NAME, memberIds: [] })
}
