package wire

// Share answers GET /api/share: the links by which others come to a host's tenant (P2.7). The links are secrets.
type Share struct {
	// Host and Spectator have one link for each address of the server. The first link has the address that the host has
	// used.
	Host      []string `json:"host"`
	Spectator []string `json:"spectator"`
	// Open is set on a server without tokens. Everybody who reaches such a server is host, and it has no links for
	// spectators.
	Open bool `json:"open,omitempty"`
	// Local is set if only the server's own machine can reach the server.
	Local bool `json:"local,omitempty"`
}
