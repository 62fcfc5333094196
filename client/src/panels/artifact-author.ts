// The name and the author of an artifact in words. Pure.
import type { Artifact } from '../net/protocol.gen'
import { personOf } from '../state/author'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { title, words } from '../words'

export function artifactName({ name }: Artifact): string {
  return words.artifacts.named[name] ?? title(name)
}

/** The name of the role and, if a person played it, of the person; "" if the author is not known. */
export function artifactAuthor(realm: RealmModel, a: Artifact): string {
  if (!a.agentId) return ''
  const role = nameOf(realm, a.agentId)
  const person = personOf(realm, a)
  return person && person !== role ? words.artifacts.personAs(person, role) : role
}
