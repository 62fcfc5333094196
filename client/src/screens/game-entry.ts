// The entry of the game screen's bundle: the screen, and the kinds of conversation that it shows.
import '../kinds/registry'

export { Game } from './game'
