package netpage

// Snapshot is the state of a server at a moment. Counters count from the start of the server or of
// the connection. The page computes rates from two snapshots.
type Snapshot struct {
	Tick    uint64   `json:"tick"`
	Time    int64    `json:"time"` // ms since the start of the server
	TickMs  int      `json:"tickMs"`
	Course  *Course  `json:"course,omitempty"` // of a Timeline
	Server  Server   `json:"server"`
	Loop    Loop     `json:"loop"`
	Clients Clients  `json:"clients"`
	Map     Map      `json:"map"`
	Details *Details `json:"details,omitempty"`

	Rows []Row `json:"-"` // of the map; see Row
}

// Course says where a Timeline is, and where it goes. All numbers but Speed are ticks.
type Course struct {
	Tick  uint64   `json:"tick"`
	Last  uint64   `json:"last"`  // of the recorded server
	Goal  uint64   `json:"goal"`  // it runs to this tick as fast as possible; Tick: it does not
	Speed float64  `json:"speed"` // times real time; 0: paused
	Why   string   `json:"why"`   // the replay differs from the recorded server, or ends before it; "": neither
	Marks []Mark   `json:"marks,omitempty"`
	Past  []Sample `json:"past"`

	Newest uint64 `json:"-"` // the number of the newest sample
}

// A Mark is a moment to look at.
type Mark struct {
	Tick uint64 `json:"tick"`
	Text string `json:"text"`
}

// A Sample is what the graphs show of a moment.
type Sample struct {
	Time   int64   `json:"time"` // ms since the start of the server
	Loop   Loop    `json:"loop"`
	Client *Client `json:"client"` // the chosen one; null: it was not there
}

// Server describes the server.
type Server struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Objects int    `json:"objects"`
	Heap    uint64 `json:"heap"`   // bytes that the last garbage collection found in use
	Memory  uint64 `json:"memory"` // bytes from the system
	TakeUs  int64  `json:"takeUs"` // time of the game's goroutine for the snapshot before
}

// Loop has the times of the server's loop.
type Loop struct {
	Ticks   uint64   `json:"ticks"`
	Late    uint64   `json:"late"`
	Skipped uint64   `json:"skipped"`
	BusyUs  int64    `json:"busyUs"`  // in all ticks
	MaxUs   int64    `json:"maxUs"`   // the longest of the newest 16 ticks
	Phases  []string `json:"phases"`  // names
	PhaseUs []int64  `json:"phaseUs"` // time in each, while a page was open
	Looked  uint64   `json:"looked"`  // ticks of PhaseUs
}

// Clients are the connections.
type Clients struct {
	List    []Client `json:"list"`
	Bots    []Bot    `json:"bots"`
	Omitted int      `json:"omitted"`
}

// Bot is a connection without a peer.
type Bot struct {
	Name   string `json:"name"`
	Object uint32 `json:"object"`
}

// Client is a connection to a peer. "out" is from the server to the client.
type Client struct {
	ID          uint32  `json:"id"`
	Name        string  `json:"name"`
	Address     string  `json:"address"`
	Way         string  `json:"way"` // udp, web, local
	Phase       string  `json:"phase"`
	Object      uint32  `json:"object"` // the id of its control object; 0: none
	OutBytes    uint64  `json:"outBytes"`
	OutPackets  uint64  `json:"outPackets"`
	InBytes     uint64  `json:"inBytes"`
	InPackets   uint64  `json:"inPackets"`
	Lost        uint64  `json:"lost"`     // packets of the server that did not arrive
	Loss        float64 `json:"loss"`     // recent, 0…1
	RTT         float64 `json:"rtt"`      // ms
	LeastRTT    float64 `json:"leastRtt"` // ms
	Jitter      float64 `json:"jitter"`   // ms
	Rate        float64 `json:"rate"`     // packets/s that the server can send
	Size        int     `json:"size"`     // bytes of a packet, at most
	Line        int     `json:"line"`     // bits/s that the congestion control allows
	InFlight    int     `json:"inFlight"` // packets
	Events      int     `json:"events"`   // queued
	Moves       int     `json:"moves"`    // waiting for their ticks
	Waiting     int     `json:"waiting"`  // ghosts that may have something to send
	Ghosts      int     `json:"ghosts"`
	MovesDone   int     `json:"movesDone"`
	NullMoves   int     `json:"nullMoves"`   // substituted because none arrived
	Mismatches  int     `json:"mismatches"`  // moves after which the client had another state: each is corrected
	Interrupted int64   `json:"interrupted"` // ms without an answer; 0 while the line works
}

// Map describes the rows of the map.
type Map struct {
	Client   uint32     `json:"client"`   // whose view it is; 0: nobody's
	Eye      [3]float64 `json:"eye"`      // where the client looks from
	Look     [2]float64 `json:"look"`     // direction
	Looks    bool       `json:"looks"`    // the two above have values
	Distance float64    `json:"distance"` // how far it sees, in m
	FOV      float64    `json:"fov"`      // degrees
	Ghosts   int        `json:"ghosts"`
	Unplaced int        `json:"unplaced"` // ghosts without a place, and those being deleted
	Omitted  int        `json:"omitted"`  // objects without a row
	Classes  []string   `json:"classes"`  // by the class index of the rows
}

// Details are the parts that change slowly. They come with every fourth snapshot.
type Details struct {
	P50Us   int64   `json:"p50Us"` // of the newest 1,024 ticks
	P99Us   int64   `json:"p99Us"`
	Classes []Class `json:"classes"`
	Mods    []Mod   `json:"mods"`
	Events  []Event `json:"events"` // those with the most time
}

// Class has the cost of the ghosts of a class: of the client of the map, or of all clients.
type Class struct {
	Name       string `json:"name"`
	Creates    uint64 `json:"creates"`
	CreateBits uint64 `json:"createBits"`
	Updates    uint64 `json:"updates"`
	UpdateBits uint64 `json:"updateBits"`
}

// Mod has the usage of a mod.
type Mod struct {
	Name         string   `json:"name"`
	Us           int64    `json:"us"`
	Calls        int64    `json:"calls"`
	Errors       int64    `json:"errors"`
	MaxUs        int64    `json:"maxUs"`
	Instructions int64    `json:"instructions"`
	Faults       int      `json:"faults"`
	Suspended    string   `json:"suspended"`
	Handlers     []string `json:"handlers"` // suspended ones
}

// Event has the usage of an event of a mod.
type Event struct {
	Mod    string `json:"mod"`
	Name   string `json:"name"`
	Us     int64  `json:"us"`
	Calls  int64  `json:"calls"`
	Errors int64  `json:"errors"`
	MaxUs  int64  `json:"maxUs"`
}
