// As many councils run as may: the one that is begun will wait.
import type { StartProps } from '../kind'
import { councilWords } from './words'
import { NAME } from './name'

/** As many run as may: this one will wait. */
export function Full({ realm }: Pick<StartProps, 'realm'>) {
  const most = realm.world.settings.maxConcurrentConversations
  const running = Object.values(realm.views).filter((v) => v.kind === NAME && v.status === 'active').length
  return running >= most ? <p class="quiet">{councilWords.full(most)}</p> : null
}
