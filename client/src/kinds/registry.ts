// The kinds of conversation that the page knows, one line each, in the order in which the start dialog offers them.
import { chat } from './chat/chat'
import { coding } from './coding/coding'
import { council } from './council/council'
import { forge } from './forge/forge'
import { register } from './kinds'
import { party } from './party/party'
import { process } from './process/process'

register(process)
register(council)
register(chat)
register(party)
register(forge)
register(coding)
