// A process: people and agents go through stages. The page's own prompt, bar and roster speak of it, so its
// transcript has no place to write and does not say again who is at work.
import { words } from '../../words'
import type { Control, InView, Kind } from '../kind'
import { StagePick } from './stage-pick'
import { processWords } from './words'

const NAME = 'process'

function controls({ view, realm }: InView): Control[] {
  const p = realm.world.processState
  if (view.conversationId !== p.conversationId || p.status !== 'running' || p.pausing) return []
  return [
    {
      testid: 'talk-pause',
      label: words.chats.pause,
      look: 'plain',
      frame: { type: 'player:command', text: '/pause' },
    },
  ]
}

export const process: Kind = {
  name: NAME,
  called: () => ({ id: NAME, word: processWords.name }),
  inline: true,
  staged: true,
  showsTask: false,
  standing: () => '',
  controls,
  renamed: false,
  empty: () => processWords.begins,
  saysWork: () => false,
  overLine: () => '',
  speaks: () => false,
  HeadTools: StagePick,
}
