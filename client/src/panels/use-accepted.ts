// Whether a finding was accepted, for the components that show it.
import type { Finding } from '../net/protocol.gen'
import { useApp } from './context'

/** Whether the linked repository accepts the finding. */
export function useAccepted(f: Finding): boolean {
  const app = useApp()
  const realm = app.model.realm
  return realm !== null && app.accepted.has(realm.id, f.id)
}
