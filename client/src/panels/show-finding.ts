// Leads the list of findings to one of them.
import type { App } from '../app'
import { filterFor, filterShowing } from '../state/findings'
import type { RealmModel } from '../state/model'
import { foldersOf } from '../state/select'

/** Sets the filter so that the finding is in the list, and opens it. The caller shows the list. */
export function leadToFinding(app: App, realm: RealmModel, id: string): void {
  const { findings, mapTree } = realm.world
  const filter = filterFor(app.findingsFilter.peek(), realm.id)
  app.findingsFilter.value = filterShowing(findings, filter, foldersOf(mapTree), id)
}
