// Starts a forge. It has no settings: the smith asks first.
import type { App } from '../../app'
import type { SendResult } from '../../net/outbox'

export const NAME = 'forge'

export function startForge(app: App): SendResult {
  return app.conversations.start({ kind: NAME, memberIds: [] })
}
