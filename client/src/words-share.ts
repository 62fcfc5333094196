// The texts of the dialog that shares a link, and of the menu on a phone. src/words.ts states the rules for texts.
import type { Place } from './place'

export const shareWords = {
  title: 'Share',
  open: 'Share',
  hint: 'Invite others with a link',
  loading: 'Asking the server for a link …',
  failed: 'The server gave no link.',
  again: 'Try again',
  role: 'For',
  roles: { spectator: 'Spectators', host: 'Hosts' },
  address: 'Address of this server',
  link: 'Link',
  copy: 'Copy the link',
  noQr: 'This link is too long for a QR code. Copy it.',
  qr: 'QR code of the link',
  leads: {
    realm: 'It opens this realm.',
    folder: 'It opens this folder.',
    file: 'It opens this file.',
    finding: 'It opens this finding.',
    result: 'It opens this result.',
    talk: 'It opens this talk.',
  } satisfies Record<Place['kind'], string>,
  may: {
    roles: 'To take a role, people need the link for hosts.',
    watch: 'They see the map, the findings, the quests and the talks of every realm that is open.',
    speak: 'They can say something to everyone once they have given a name. They start and change nothing.',
    files: (all: boolean) =>
      all
        ? 'They open the files of the linked folder. Secrets are masked.'
        : 'They cannot open files. Realm settings can allow it.',
    sessions: (all: boolean) =>
      all
        ? 'They read what your coding agents are told, say and do.'
        : 'Of your coding agents they see who works, and at which file. Realm settings can show more.',
    host:
      'They may do all that you may: link folders of the server’s machine, read files, start and stop work, ' +
      'change settings, and remove realms.',
  },
  secret: 'The link is the key: whoever has it gets in. It stays valid.',
  everybody:
    'There is no link for spectators, because on this server no link needs a token: everybody who opens this ' +
    'address is a host and may do everything but answer your coding agents and write to them.',
  asked: 'Whoever opens this link on another machine is asked for a token, and this server has none to share.',
  local:
    'This address works on the server’s own machine only. To let others in, stop the server and start it as ' +
    'before, with this flag in place of any -addr. It then prints links with tokens for hosts and for spectators: ' +
    'open the one for hosts, in this tab too.',
  proxied:
    'To share links, put a secret of at least 16 characters into a file that only you can read (mode 0600). Then ' +
    'stop the server and start it as before, with this flag. It then makes links with tokens for hosts and for ' +
    'spectators.',
  tokenFlag: '-token-file agentdungeon.token',
  copyFlag: 'Copy the flag',
  place: 'It opens',
  places: { realm: 'This realm and its result', here: 'What you see now' },
}

export const menuWords = { title: 'Menu', open: 'Menu' }
