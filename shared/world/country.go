package world

// CountrySide is how many tiles wide and high the overworld is.
const CountrySide = 120

// Layers of World.Fog and World.Paths.
const (
	// LayerExplored has 1 where somebody has walked near enough to see.
	LayerExplored = "explored"
	// LayerWorn says how often a tile was walked on, at most MaxWear.
	LayerWorn = "worn"
	MaxWear   = 9
)

// Tiles of Country.Tiles (requirements.md, "Map rules"). Walkable are grass,
// door, floor, hill, sand and path; what lies outside is wall.
const (
	TileGrass   = 0
	TileWall    = 1
	TileWater   = 2
	TileDoor    = 3
	TileFloor   = 4
	TileTree    = 5
	TileHill    = 6
	TileSand    = 7
	TilePath    = 8
	TileLava    = 9
	TileCrystal = 10
)

// Country is the overworld without what people and heroes made of it: the lie of
// the land, from the realm's id alone, and the places of folders, from the last
// scan. Like MapTree it is derived and no event sets it.
type Country struct {
	Tiles Grid   `json:"tiles"`
	Sites []Site `json:"sites"`
}

// Site is a folder's house on the overworld: the root's keep in the middle, and
// the top-level folders around it. What has no site is reached through the keep.
// X, Y is its top left tile; its door, DoorX, DoorY, is the walkable tile before it.
type Site struct {
	Path   string `json:"path"`
	Name   string `json:"name"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	DoorX  int    `json:"doorX"`
	DoorY  int    `json:"doorY"`
	Files  int    `json:"files"`
}

// Fort is a member's camp on the overworld. It stays when its member leaves. X, Y
// is its middle; the walkable tile before its gate is GateX, GateY. The land
// nearest to a fort is of its biome.
type Fort struct {
	AgentID string `json:"agentId"`
	Name    string `json:"name"`
	Color   string `json:"color"`
	Biome   string `json:"biome"`
	Stage   int    `json:"stage"`
	X       int    `json:"x"`
	Y       int    `json:"y"`
	GateX   int    `json:"gateX"`
	GateY   int    `json:"gateY"`
}

// Stages of a fort: each is reached once and never lost.
const (
	FortCampfire = 1 // its member has joined
	FortTent     = 2 // its member has arrived
	FortHut      = 3 // the first finding
	FortTower    = 4 // three findings
	FortFort     = 5 // a stage that its member acted in is done
)

// MaxForts is how many forts a country has; the one that was left first makes way.
const MaxForts = 16

// Biomes, by the hash of a member's role and name.
var Biomes = []string{"forest", "coastal", "plains", "hills", "volcanic", "crystalline"}

// Walk is the way that a member went last: over the overworld along Path, then
// through the room of Realm along Room. Each begins where the member stood or
// came in, and ends where it went out or stands; tiles that follow each other
// touch, corners count. It is over at ArrivesAt.
type Walk struct {
	Path      []Point `json:"path"`
	Room      []Point `json:"room"`
	StartsAt  Time    `json:"startsAt"`
	MsPerTile int     `json:"msPerTile"`
	ArrivesAt Time    `json:"arrivesAt"`
	Target    string  `json:"target,omitempty"` // the file or folder it is for, in wire form
}

// ActivityReading is the activity of an agent that looks at a file.
const (
	ActivityReading    = "reading"
	ActivityConversing = "conversing" // takes part in a council
	ActivityCooldown   = "cooldown"   // has just taken part in one
)

// MaxExplored is how many folders World.Explored names; more are not noted.
const MaxExplored = 5_000

// MaxWalkers is how many people's ways NavigationState keeps; the one who walked
// least lately is forgotten. MaxNavStack is how many rooms each can go back, MaxHeroStack
// how many a hero: each of its walks tells them all.
const (
	MaxWalkers   = 1_000
	MaxNavStack  = 64
	MaxHeroStack = 16
)
