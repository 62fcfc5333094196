package wire

// Share answers GET /api/share: the links by which others come to a host's tenant (P2.7). They are secrets.
type Share struct {
	// Host and Spectator have a link for each address, the one by which the host has come first.
	Host      []string `json:"host"`
	Spectator []string `json:"spectator"`
	// Open is set on a server without tokens: everybody who reaches it is host, and there are no links for spectators.
	Open bool `json:"open,omitempty"`
	// Local is set if only the server's own machine reaches it.
	Local bool `json:"local,omitempty"`
}
