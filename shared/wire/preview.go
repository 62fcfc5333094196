package wire

import "agentdungeon/shared/world"

// Preview answers GET /api/offer: it has the map of the folder that the server offers, as it will look once the
// folder is linked (P5.1a).
type Preview struct {
	// RealmID is the id that the realm gets if the folder is linked while this server runs. The terrain of the map
	// depends on this id.
	RealmID string        `json:"realmId"`
	Name    string        `json:"name"`
	Country world.Country `json:"country"`
}
