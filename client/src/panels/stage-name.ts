// What people call a stage of the process at hand. Pure.
import type { RealmModel } from '../state/model'
import { title } from '../words'

/** A stage that the template has not is called by its id. */
export function stageName(realm: RealmModel, id: string): string {
  return realm.world.processState.template?.stages.find((s) => s.id === id)?.name ?? title(id)
}
