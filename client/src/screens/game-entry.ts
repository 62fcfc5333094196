// What the page loads for the game screen: the screen, and the kinds of conversation that it shows.
import '../kinds/registry'

export { Game } from './game'
