package wire

// Share answers GET /api/share: the links by which others come to a host's tenant (P2.7). The links are secrets.
type Share struct {
	// Host and Spectator have one link for each address of the server. The first link has the address that the host has
	// used.
	Host      []string `json:"host"`
	Spectator []string `json:"spectator"`
	// Open is set if the server has no tokens. Everybody who can reach such a server is a host, and there are no
	// links for spectators.
	Open bool `json:"open,omitempty"`
	// Local is set if only the server's own machine can reach the server.
	Local bool `json:"local,omitempty"`
}
