// Starts a forge. The start needs no settings, because the smith asks for everything.
import type { App } from '../../app'
import type { SendResult } from '../../net/outbox'

export const NAME = 'forge'

export function startForge(app: App): SendResult {
  return app.conversations.start({ kind: NAME, memberIds: [] })
}
