// The name of the kind on the wire.

// Beginning a council, or a task for one agent: who, about what, and for how many turns. What is written stays until
// it has begun.

export const NAME = 'council'
