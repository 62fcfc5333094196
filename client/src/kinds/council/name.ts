// The kind's name on the wire.

export const NAME = 'council'
