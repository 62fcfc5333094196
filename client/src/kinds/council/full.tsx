// A notice that a new council will be queued, because the limit of concurrent councils is reached.
import type { StartProps } from '../kind'
import { councilWords } from './words'
import { NAME } from './name'

export function Full({ realm }: Pick<StartProps, 'realm'>) {
  const most = realm.world.settings.maxConcurrentConversations
  const running = Object.values(realm.views).filter((v) => v.kind === NAME && v.status === 'active').length
  return running >= most ? <p class="quiet">{councilWords.full(most)}</p> : null
}
